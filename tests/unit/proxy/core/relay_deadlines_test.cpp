#include "proxy/core/relay_deadlines.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::seconds;
using test::kStart;

constexpr RelayTimes kTimes{.arrived = kStart,
                            .forwarded = kStart + seconds(1),
                            .last_activity = kStart + seconds(2),
                            .switched = kStart + seconds(3)};
constexpr TimeLimits kLimits{
    .total = seconds(100), .response_start = seconds(10), .idle = seconds(20)};

TEST(RelayDeadlines, WithoutLimitsAreNever) {
  for (const RelayStage stage :
       {RelayStage::kAwaitingResponse, RelayStage::kRelayingResponse, RelayStage::kTunnel}) {
    EXPECT_EQ(next_deadline({}, stage, kTimes), TimePoint::max());
    EXPECT_EQ(exceeded_limit({}, stage, kTimes, kStart + std::chrono::hours(1)),
              RelayTimeout::kNone);
  }
}

TEST(RelayDeadlines, DependOnTheStage) {
  EXPECT_EQ(next_deadline(kLimits, RelayStage::kAwaitingResponse, kTimes), kStart + seconds(11));
  EXPECT_EQ(next_deadline(kLimits, RelayStage::kRelayingResponse, kTimes), kStart + seconds(22));
  EXPECT_EQ(next_deadline({.total = seconds(5)}, RelayStage::kTunnel, kTimes), TimePoint::max());
  EXPECT_EQ(next_deadline(kLimits, RelayStage::kTunnel, kTimes), kStart + seconds(22));
  EXPECT_EQ(next_deadline(kLimits, RelayStage::kHalfOpenTunnel, kTimes), kStart + seconds(12));
}

TEST(RelayDeadlines, OfATunnelCountFromItsBeginningHoweverBusyItIs) {
  const TimeLimits limits{.idle = seconds(20), .tunnel = seconds(15)};
  EXPECT_EQ(next_deadline(limits, RelayStage::kRelayingResponse, kTimes), kStart + seconds(22));
  EXPECT_EQ(next_deadline(limits, RelayStage::kTunnel, kTimes), kStart + seconds(18));
  EXPECT_EQ(exceeded_limit(limits, RelayStage::kTunnel, kTimes, kStart + seconds(17)),
            RelayTimeout::kNone);
  EXPECT_EQ(exceeded_limit(limits, RelayStage::kTunnel, kTimes, kStart + seconds(18)),
            RelayTimeout::kTunnelLife);
  EXPECT_EQ(exceeded_limit(limits, RelayStage::kAwaitingResponse, kTimes, kStart + seconds(18)),
            RelayTimeout::kNone);
}

TEST(RelayDeadlines, TheFirstExceededLimitIsTheCause) {
  const auto exceeded = [](RelayStage stage, int at) {
    return exceeded_limit(kLimits, stage, kTimes, kStart + seconds(at));
  };
  EXPECT_EQ(exceeded(RelayStage::kAwaitingResponse, 10), RelayTimeout::kNone);
  EXPECT_EQ(exceeded(RelayStage::kAwaitingResponse, 11), RelayTimeout::kResponseStart);
  EXPECT_EQ(exceeded(RelayStage::kAwaitingResponse, 22), RelayTimeout::kIdle);
  EXPECT_EQ(exceeded(RelayStage::kRelayingResponse, 100), RelayTimeout::kTotal);
  EXPECT_EQ(exceeded(RelayStage::kTunnel, 100), RelayTimeout::kIdle);
  EXPECT_EQ(exceeded(RelayStage::kHalfOpenTunnel, 12), RelayTimeout::kHalfOpen);
}

TEST(TimeoutMessage, SaysWhatWasLate) {
  EXPECT_EQ(timeout_message(RelayTimeout::kTotal, RelayStage::kAwaitingResponse, false),
            "no response within the request's time limit");
  EXPECT_EQ(timeout_message(RelayTimeout::kTotal, RelayStage::kAwaitingResponse, true),
            "its request did not arrive within the time limit");
  EXPECT_EQ(timeout_message(RelayTimeout::kIdle, RelayStage::kTunnel, false),
            "nothing moved within the idle time limit");
}

}  // namespace
}  // namespace bellows::proxy
