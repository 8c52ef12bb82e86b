#include "kubernetes/core/quantity.hpp"

#include <gtest/gtest.h>

#include <limits>
// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

namespace bellows::kubernetes {
namespace {

Quantity q(std::string_view text) {
  const auto quantity = Quantity::parse(text);
  EXPECT_TRUE(quantity) << text;
  return quantity.value_or(Quantity());
}

TEST(Quantity, EverySuffixIsExact) {
  EXPECT_EQ(q("100m").milli(), 100);
  EXPECT_EQ(q("0.1").milli(), 100);
  EXPECT_EQ(q("1.5Gi").units(), 3LL << 29);
  EXPECT_EQ(q("1e3").units(), 1000);
  EXPECT_EQ(q("1E-2").milli(), 10);
  EXPECT_EQ(q("12E").units() / 1'000'000, std::numeric_limits<std::int64_t>::max() / 1'000'000)
      << "beyond int64 it is its bound";
  EXPECT_EQ(q("7E").units(), 7'000'000'000'000'000'000);
  EXPECT_EQ(q("2Ei").units(), 2LL << 60);
  EXPECT_EQ(q("500k").units(), 500'000);
  EXPECT_EQ(q("1Ki"), q("1024"));
  EXPECT_EQ(q("1000000u"), q("1"));
  EXPECT_EQ(q("1000000000n"), q("1"));
  EXPECT_EQ(q("-250m").milli(), -250);
  EXPECT_EQ(q("+.5"), q("500m"));
  EXPECT_EQ(q("5."), q("5"));
  EXPECT_EQ(q("0"), Quantity());
}

TEST(Quantity, FinerThanNanoIsRoundedUpAsTheApiDoes) {
  EXPECT_EQ(q("0.0000000001"), q("1n"));
  EXPECT_EQ(q("0.00000000049Ki"), q("502n"));
  EXPECT_EQ(q("1e-1000"), q("1n"));
  EXPECT_EQ(q("1n").milli(), 1);
  EXPECT_EQ(q("1500u").milli(), 2);
  EXPECT_EQ(q("1001m").units(), 2);
}

TEST(Quantity, ManyDigitsAreNoOverflow) {
  EXPECT_EQ(q(std::string(400, '9')), q("9223372036854775807"));
  EXPECT_EQ(q("0." + std::string(400, '0') + "1"), q("1n"));
  EXPECT_EQ(q("1" + std::string(60, '0') + "e-60"), q("1"));
  EXPECT_EQ(q("1e1000"), q("9223372036854775807"));
  EXPECT_EQ(q("0e1000"), q("0"));
}

TEST(Quantity, TheOrderIsThatOfTheAmounts) {
  EXPECT_LT(q("999m"), q("1"));
  EXPECT_LT(q("1G"), q("1Gi"));
  EXPECT_LT(q("-1"), q("0"));
  EXPECT_EQ(q("0.5"), q("500m"));
}

TEST(Quantity, OtherTextIsNamed) {
  for (const char* text : {"", "m", "1 Gi", "1gi", "1KI", "0x10", "1e", "1e1.5", "--1", "1.2.3",
                           ".", "1mi", "Inf", "1e+-3"}) {
    const auto quantity = Quantity::parse(text);
    ASSERT_FALSE(quantity) << text;
    EXPECT_EQ(quantity.error().culprit(), text);
  }
}

RC_GTEST_PROP(Quantity, ThousandthsAreReadBackAndKeepTheirOrder, ()) {
  const auto a = *rc::gen::inRange<std::int64_t>(-1'000'000'000, 1'000'000'000);
  const auto b = *rc::gen::inRange<std::int64_t>(-1'000'000'000, 1'000'000'000);
  const Quantity x = q(std::to_string(a) + "m");
  const Quantity y = q(std::to_string(b) + "m");
  RC_ASSERT(x.milli() == a);
  RC_ASSERT(x == Quantity::from_milli(a));
  RC_ASSERT((x < y) == (a < b));
}

}  // namespace
}  // namespace bellows::kubernetes
