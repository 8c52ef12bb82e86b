#include "activator/core/recent_requests.hpp"

#include <gtest/gtest.h>

namespace bellows::activator {
namespace {

using namespace std::chrono_literals;

/// 100 seconds after the begin of time, which is the begin of a slice.
constexpr TimePoint at(Duration after) {
  return TimePoint(100s + after);
}

class Recent : public testing::Test {
 protected:
  void add(Duration after, int count, RequestEnd end = {.status = 200, .total = 20ms}) {
    for (int i = 0; i < count; ++i) requests_.add(end, at(after));
  }
  RecentSum sum(Duration after) const {
    RecentSum sum;
    requests_.add_to(sum, at(after));
    return sum;
  }

  RecentRequests requests_;
};

TEST_F(Recent, TheRateIsThatOfTheLastTenSeconds) {
  add(1s, 40);
  EXPECT_DOUBLE_EQ(sum(2s).per_second, 4);
  EXPECT_DOUBLE_EQ(sum(15s).per_second, 2) << "half of the slice before lies within";
  add(15s, 10);
  EXPECT_DOUBLE_EQ(sum(15s).per_second, 3);
  EXPECT_DOUBLE_EQ(sum(30s).per_second, 0);
  EXPECT_EQ(sum(30s).requests, 50U);
}

TEST_F(Recent, AMinuteLaterNothingIsLeft) {
  add(1s, 5, {.status = 503, .total = 1s});
  EXPECT_EQ(sum(59s).errors, 5U);
  EXPECT_NE(sum(69s).json(), "");
  EXPECT_EQ(sum(71s).json(), "");
  add(71s, 1);  // takes the place of the slice that is over
  EXPECT_EQ(sum(71s).requests, 1U);
  EXPECT_EQ(sum(71s).errors, 0U);
}

TEST_F(Recent, PercentilesAreWithinFivePercentAndLeaveTunnelsOut) {
  add(0s, 98);
  add(1s, 2, {.status = 200, .total = 900ms});
  add(2s, 5, {.status = 101, .is_tunnel = true, .total = 1h});
  const RecentSum all = sum(3s);
  EXPECT_NEAR(to_seconds(all.percentile(0.5).value()), 0.02, 0.001);
  EXPECT_NEAR(to_seconds(all.percentile(0.99).value()), 0.9, 0.045);
  EXPECT_EQ(all.requests, 105U);
}

TEST_F(Recent, CallersThatLeftCountNothingAndCutResponsesAreFailures) {
  add(0s, 3, {.status = 0, .has_caller = false, .total = 1s});
  EXPECT_EQ(sum(1s).json(), "");
  add(0s, 1, {.status = 200, .is_incomplete = true, .total = 1ms});
  EXPECT_EQ(sum(1s).errors, 1U);
}

TEST_F(Recent, RevisionsOfAServiceAreAddedUp) {
  add(0s, 10, {.status = 500, .total = 10ms});
  RecentSum both = sum(1s);
  requests_.add_to(both, at(1s));
  EXPECT_EQ(both.requests, 20U);
  EXPECT_EQ(both.errors, 20U);
  EXPECT_DOUBLE_EQ(both.per_second, 2);
  EXPECT_EQ(both.json().substr(0, 31), R"({"per_second":2,"errors":20,"p5)");
}

}  // namespace
}  // namespace bellows::activator
