#include "kubernetes/core/call_limiter.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bellows::kubernetes {
namespace {

using namespace std::chrono_literals;

/// A limiter, and its time by hand.
struct Limited {
  explicit Limited(CallLimits limits) : limiter(limits) {}

  /// All that may go now.
  std::vector<CallLimiter::Ticket> admitted() {
    std::vector<CallLimiter::Ticket> tickets;
    while (const auto ticket = limiter.admit(now)) tickets.push_back(*ticket);
    return tickets;
  }

  TimePoint now{std::chrono::hours(1)};
  CallLimiter limiter;
};

using Tickets = std::vector<CallLimiter::Ticket>;

TEST(CallLimiter, ABurstGoesAtOnceThenSoManyASecond) {
  Limited calls({.per_second = 10, .burst = 3, .under_way = 100});
  Tickets asked;
  for (int i = 0; i < 6; ++i) asked.push_back(calls.limiter.enqueue(Priority::kRead));
  EXPECT_EQ(calls.admitted(), Tickets(asked.begin(), asked.begin() + 3));
  calls.now += 99ms;
  EXPECT_EQ(calls.admitted(), Tickets());
  const TimePoint next = calls.limiter.next_at(calls.now).value();
  EXPECT_GE(next, calls.now + 1ms);
  EXPECT_LE(next, calls.now + 1ms + 1us);
  calls.now = next;
  EXPECT_EQ(calls.admitted(), Tickets({asked[3]})) << "no wait is for nothing";
  calls.now += 200ms;
  EXPECT_EQ(calls.admitted(), Tickets({asked[4], asked[5]}));
  EXPECT_FALSE(calls.limiter.next_at(calls.now).has_value()) << "none waits";
}

TEST(CallLimiter, ARestSavesNoMoreThanTheBurst) {
  Limited calls({.per_second = 10, .burst = 2, .under_way = 100});
  calls.limiter.enqueue(Priority::kRead);
  EXPECT_EQ(calls.admitted().size(), 1U);
  calls.now += 1h;
  for (int i = 0; i < 5; ++i) calls.limiter.enqueue(Priority::kRead);
  EXPECT_EQ(calls.admitted().size(), 2U);
}

TEST(CallLimiter, OrdersComeFirstThenReadsThenReports) {
  Limited calls({.per_second = 1, .burst = 1, .under_way = 100});
  const auto report = calls.limiter.enqueue(Priority::kReport);
  const auto read = calls.limiter.enqueue(Priority::kRead);
  const auto order = calls.limiter.enqueue(Priority::kOrder);
  const auto late_order = calls.limiter.enqueue(Priority::kOrder);
  Tickets went;
  for (int second = 0; second < 4; ++second) {
    for (const auto ticket : calls.admitted()) went.push_back(ticket);
    calls.now += 1001ms;
  }
  EXPECT_EQ(went, Tickets({order, late_order, read, report}));
}

TEST(CallLimiter, CallsUnderWayAreBoundedAndLeaveRoomForOrders) {
  Limited calls({.per_second = 1000, .burst = 100, .under_way = 8});
  for (int i = 0; i < 20; ++i) calls.limiter.enqueue(Priority::kReport);
  EXPECT_EQ(calls.admitted().size(), 4U) << "half";
  for (int i = 0; i < 20; ++i) calls.limiter.enqueue(Priority::kRead);
  EXPECT_EQ(calls.admitted().size(), 4U) << "eight in all";
  calls.limiter.enqueue(Priority::kOrder);
  EXPECT_TRUE(calls.admitted().empty());
  EXPECT_FALSE(calls.limiter.next_at(calls.now).has_value()) << "time alone does not help";
  calls.limiter.finished(Priority::kReport);
  EXPECT_EQ(calls.admitted().size(), 1U) << "the order";
}

TEST(CallLimiter, ReadsLeaveAQuarterForOrders) {
  Limited calls({.per_second = 1000, .burst = 100, .under_way = 8});
  for (int i = 0; i < 20; ++i) calls.limiter.enqueue(Priority::kRead);
  EXPECT_EQ(calls.admitted().size(), 6U);
  calls.limiter.enqueue(Priority::kOrder);
  EXPECT_EQ(calls.admitted().size(), 1U);
}

TEST(CallLimiter, ACallThatGivesUpIsLeftOutAndCostsNothing) {
  Limited calls({.per_second = 1, .burst = 1, .under_way = 8});
  const auto first = calls.limiter.enqueue(Priority::kRead);
  const auto second = calls.limiter.enqueue(Priority::kRead);
  calls.limiter.withdraw(first);
  EXPECT_EQ(calls.admitted(), Tickets({second}));
}

TEST(CallLimiter, AClockThatGoesBackIsHarmless) {
  Limited calls({.per_second = 1, .burst = 1, .under_way = 8});
  calls.limiter.enqueue(Priority::kRead);
  EXPECT_EQ(calls.admitted().size(), 1U);
  calls.limiter.enqueue(Priority::kRead);
  calls.now -= 10min;
  EXPECT_TRUE(calls.admitted().empty());
  calls.now += 10min + 1001ms;
  EXPECT_EQ(calls.admitted().size(), 1U);
}

}  // namespace
}  // namespace bellows::kubernetes
