#include "base/number_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bellows {
namespace {

TEST(ShortestText, ReadsBackToTheSameDouble) {
  EXPECT_EQ(shortest_text(3), "3");
  EXPECT_EQ(shortest_text(0.1), "0.1");
  EXPECT_EQ(shortest_text(-0.0), "-0");
  EXPECT_EQ(shortest_text(1e22), "1e+22");
  EXPECT_EQ(shortest_text(560.77292), "560.77292");
  EXPECT_EQ(shortest_text(0.1 + 0.2), "0.30000000000000004");
}

TEST(SignificantText, HasAtMostSoManyDigits) {
  EXPECT_EQ(significant_text(1.0 / 3, 3), "0.333");
  EXPECT_EQ(significant_text(2.5, 4), "2.5");
  EXPECT_EQ(significant_text(12345678, 4), "1.235e+07");
}

TEST(FixedText, HasExactlySoManyDecimals) {
  EXPECT_EQ(fixed_text(0.25, 3), "0.250");
  EXPECT_EQ(fixed_text(12.0006, 3), "12.001");
  EXPECT_EQ(fixed_text(1e300, 0).size(), 301U);
}

TEST(PlainText, HasNoExponentAndReadsBack) {
  EXPECT_EQ(plain_text(4e9), "4000000000");
  EXPECT_EQ(plain_text(1e14), "100000000000000");
  EXPECT_EQ(plain_text(-1e15), "-1000000000000000");
  EXPECT_EQ(plain_text(0.01), "0.01");
  EXPECT_EQ(plain_text(1e-7), "0.0000001");
  EXPECT_EQ(plain_text(0), "0");
}

TEST(ReadableText, IsRoundedToSixDigitsButKeepsThoseBeforeThePoint) {
  EXPECT_EQ(readable_text(15.100000000000001), "15.1");
  EXPECT_EQ(readable_text(103809024.00000001), "103809024");
  EXPECT_EQ(readable_text(382199617.8), "382199618");
  EXPECT_EQ(readable_text(1e14), "100000000000000");
  EXPECT_EQ(readable_text(0.99800299600499), "0.998003");
  EXPECT_EQ(readable_text(0.000012345678), "0.0000123457");
  EXPECT_EQ(readable_text(999.9999999), "1000");
  EXPECT_EQ(readable_text(-2.5), "-2.5");
  EXPECT_EQ(readable_text(0), "0");
  EXPECT_EQ(readable_text(-0.0), "0");
}

TEST(ReadableText, NamesInfinityAndNan) {
  EXPECT_EQ(readable_text(std::numeric_limits<double>::infinity()), "infinity");
  EXPECT_EQ(readable_text(-std::numeric_limits<double>::infinity()), "-infinity");
  EXPECT_EQ(readable_text(std::numeric_limits<double>::quiet_NaN()), "no number");
}

TEST(ReadableText, HasAnExponentIfTheNumberIsVeryLargeOrSmall) {
  EXPECT_EQ(readable_text(1e300), "1e+300");
  EXPECT_EQ(readable_text(1.23456789e-12), "1.23457e-12");
}

}  // namespace
}  // namespace bellows
