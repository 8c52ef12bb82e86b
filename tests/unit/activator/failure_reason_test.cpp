#include "activator/core/failure_reason.hpp"

#include <gtest/gtest.h>

namespace bellows::activator {
namespace {

Error upstream(ErrorKind kind) {
  return Error(kind, "replica web-1", "said so", ErrorSide::kUpstream);
}

TEST(Outcome, OfRefusedResetAndMalformedIsFailed) {
  for (const ErrorKind kind : {ErrorKind::kRefused, ErrorKind::kReset, ErrorKind::kMalformed}) {
    EXPECT_EQ(outcome_of(upstream(kind)), PodOutcome::kFailed) << to_string(kind);
  }
}

// One caller's request on which the app drops its connection must not cost the others a replica for
// longer than a probe takes; within that time the request goes elsewhere.
TEST(Outcome, OfAResetThatTheQueueProxyReportsIsUnresponsive) {
  EXPECT_EQ(outcome_of(upstream(ErrorKind::kReset), true), PodOutcome::kUnresponsive);
  EXPECT_EQ(outcome_of(upstream(ErrorKind::kRefused), true), PodOutcome::kFailed)
      << "its app cannot be reached";
}

TEST(Outcome, OfALocalReplyIsUnresponsiveUnlessTheAppRefusedTheConnection) {
  for (const FailureReason reason :
       {FailureReason::kReset, FailureReason::kMalformed, FailureReason::kTimeout}) {
    EXPECT_EQ(outcome_of_app_failure(reason), PodOutcome::kUnresponsive) << to_string(reason);
  }
  EXPECT_EQ(outcome_of_app_failure(FailureReason::kRefused), PodOutcome::kFailed);
}

TEST(Outcome, OfAConnectTimeoutIsFailedAndOfAResponseTimeoutUnresponsive) {
  EXPECT_EQ(outcome_of(upstream(ErrorKind::kTimeout).on(ErrorSide::kUpstream).retryable()),
            PodOutcome::kFailed);
  EXPECT_EQ(outcome_of(upstream(ErrorKind::kTimeout)), PodOutcome::kUnresponsive);
}

TEST(Outcome, OfACallerThatLeftIsUnknown) {
  EXPECT_EQ(outcome_of(Error(ErrorKind::kReset, "downstream", "left", ErrorSide::kDownstream)),
            PodOutcome::kUnknown);
  EXPECT_EQ(outcome_of(upstream(ErrorKind::kSystem)), PodOutcome::kUnknown)
      << "a failure of this process";
}

TEST(Outcome, OfARequestThatAFullReplicaRefusesIsFull) {
  EXPECT_EQ(outcome_of(upstream(ErrorKind::kOverloaded), true), PodOutcome::kFull);
  EXPECT_EQ(outcome_of(upstream(ErrorKind::kOverloaded)), PodOutcome::kUnknown);
  EXPECT_TRUE(is_of_replica(upstream(ErrorKind::kOverloaded))) << "another one may have a slot";
}

TEST(Outcome, OfATooLargeResponseIsUnknown) {
  EXPECT_EQ(outcome_of(upstream(ErrorKind::kTooLarge)), PodOutcome::kUnknown);
}

TEST(FailureReasonText, NamesEachReason) {
  EXPECT_EQ(to_string(failure_reason(upstream(ErrorKind::kRefused))), "refused");
  EXPECT_EQ(to_string(failure_reason(upstream(ErrorKind::kReset))), "reset");
  EXPECT_EQ(to_string(failure_reason(upstream(ErrorKind::kTimeout))), "timeout");
  EXPECT_EQ(to_string(failure_reason(upstream(ErrorKind::kMalformed))), "malformed");
  EXPECT_EQ(to_string(failure_reason(upstream(ErrorKind::kOverloaded))), "full");
  EXPECT_EQ(to_string(failure_reason(upstream(ErrorKind::kSystem))), "other");
  EXPECT_EQ(to_string(failure_reason(Error(ErrorKind::kOverloaded, "proxy", "no descriptor"))),
            "other");
  EXPECT_EQ(to_string(FailureReason::kStaleConnection), "stale-connection");
}

}  // namespace
}  // namespace bellows::activator
