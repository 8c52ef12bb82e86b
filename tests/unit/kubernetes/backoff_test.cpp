#include "kubernetes/core/backoff.hpp"

#include <gtest/gtest.h>

namespace bellows::kubernetes {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesToItsBoundAndStaysInTheUpperHalf) {
  SeededRandom random(1);
  Backoff backoff;
  for (const Duration bound : {250ms, 500ms, 1000ms, 2000ms, 4000ms, 4000ms, 4000ms}) {
    const Duration wait = backoff.next(random);
    EXPECT_GE(wait, bound / 2);
    EXPECT_LE(wait, bound);
  }
  EXPECT_EQ(backoff.failures(), 7);
  backoff.reset();
  EXPECT_LE(backoff.next(random), 250ms);
}

TEST(Backoff, TwoClientsThatFailedTogetherComeBackApart) {
  SeededRandom one(1);
  SeededRandom other(2);
  EXPECT_NE(Backoff().next(one), Backoff().next(other));
}

TEST(RetryAfter, SecondsOnly) {
  EXPECT_EQ(parse_retry_after("1"), 1s);
  EXPECT_EQ(parse_retry_after(" 30 "), 30s);
  EXPECT_EQ(parse_retry_after("0"), 0s);
  EXPECT_EQ(parse_retry_after("99999999999999"), 1h);
  for (const char* text : {"", "-1", "1.5", "soon", "Fri, 31 Dec 1999 23:59:59 GMT"}) {
    EXPECT_EQ(parse_retry_after(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace bellows::kubernetes
