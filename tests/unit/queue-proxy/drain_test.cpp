#include "queue-proxy/core/drain.hpp"

#include <gtest/gtest.h>

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart{1h};

TEST(DrainWithRequestsInFlight, EndsAsSoonAsTheLastOneIsDone) {
  Drain drain(300s);
  EXPECT_EQ(drain.state(3, kStart), DrainState::kServing);
  drain.start(kStart);
  EXPECT_EQ(drain.state(3, kStart + 1s), DrainState::kDraining);
  EXPECT_EQ(drain.state(0, kStart + 1s), DrainState::kDone);
}

TEST(DrainOfAnIdleReplica, TakesNoTimeAtAll) {
  Drain drain(300s);
  drain.start(kStart);
  EXPECT_EQ(drain.state(0, kStart), DrainState::kDone);
}

TEST(DrainWithAStuckRequest, EndsAtTheTimeoutSinceTheFirstSignal) {
  Drain drain(10s);
  drain.start(kStart);
  drain.start(kStart + 9s);
  EXPECT_EQ(drain.state(1, kStart + 9s), DrainState::kDraining);
  EXPECT_EQ(drain.state(1, kStart + 10s), DrainState::kDone);
  EXPECT_EQ(drain.deadline(), kStart + 10s);
}

TEST(DrainWithATimeoutOfZero, WaitsForNothing) {
  Drain drain(Duration::zero());
  EXPECT_EQ(drain.state(1, kStart), DrainState::kServing);
  drain.start(kStart);
  EXPECT_EQ(drain.state(1, kStart), DrainState::kDone);
  EXPECT_EQ(drain.deadline(), kStart);
}

}  // namespace
}  // namespace bellows::queue_proxy
