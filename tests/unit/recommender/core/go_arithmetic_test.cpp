#include "recommender/core/go_arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bellows::recommender {
namespace {

TEST(GoExp2, IsExactForWholeExponents) {
  for (int exponent = 0; exponent <= 100; ++exponent) {
    EXPECT_EQ(go_exp2(exponent), std::ldexp(1., exponent));
  }
}

// glibc's end in ...0db and ...75f.
TEST(GoExp2, HasGosLastBit) {
  EXPECT_EQ(go_exp2(-0.375), 0x1.8ace5422aa0dcp-1);
  EXPECT_EQ(go_exp2(-0.399), 0x1.844ae0bb04760p-1);
}

TEST(GoExp2, IsWithinAnUlpOfTheCLibrarys) {
  for (int i = 0; i < 10000; ++i) {
    const double exponent = i * 0.00123;
    const double expected = std::exp2(exponent);
    EXPECT_NEAR(go_exp2(exponent), expected, expected * 2.3e-16) << exponent;
  }
}

}  // namespace
}  // namespace bellows::recommender
