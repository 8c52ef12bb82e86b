#include "bench/proving/match.hpp"

#include <gtest/gtest.h>

namespace bellows::proving {
namespace {

using namespace std::chrono_literals;

simulator::Outcome outcome_of(std::uint64_t lost, Duration p99) {
  simulator::Outcome outcome;
  outcome.arrivals = 2;
  outcome.unfinished = lost;
  outcome.served = outcome.arrivals - lost;
  outcome.waits.p99 = p99;
  outcome.waits.mean_seconds = to_seconds(p99);
  outcome.replica_seconds = 200;
  return outcome;
}

Verdict verdict_of(const simulator::Outcome& bellows, const simulator::Outcome& knative) {
  Match match;
  match.bellows = bellows;
  match.knative = knative;
  return judge(match);
}

// Both requests are lost, so none of those that are served waited: 0 of knative's 36 s.
TEST(Judge, CountsLostRequestsAsAWait) {
  const Verdict verdict = verdict_of(outcome_of(2, 0s), outcome_of(0, 36s));
  EXPECT_EQ(verdict.wait, kWaitOfLost);
  EXPECT_TRUE(verdict.does_wait());
  EXPECT_FALSE(verdict.does_waste());
  EXPECT_DOUBLE_EQ(verdict.excess(), kWaitOfLost - 1.05);
}

TEST(Judge, KeepsALongerWaitBesideLostRequests) {
  EXPECT_EQ(verdict_of(outcome_of(1, 40s), outcome_of(0, 2s)).wait, 20);
}

TEST(Judge, ComparesWaitsIfNoMoreIsLost) {
  EXPECT_EQ(verdict_of(outcome_of(1, 1s), outcome_of(1, 2s)).wait, 0.5);
  EXPECT_EQ(verdict_of(outcome_of(0, 1s), outcome_of(1, 2s)).wait, 0.5);
  EXPECT_EQ(verdict_of(outcome_of(0, 2s), outcome_of(1, 1s)).wait, 2);
  EXPECT_EQ(verdict_of(outcome_of(0, 10ms), outcome_of(0, 0s)).wait, 1);
}

}  // namespace
}  // namespace bellows::proving
