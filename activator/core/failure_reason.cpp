#include "activator/core/failure_reason.hpp"

namespace bellows::activator {

std::string_view to_string(FailureReason reason) {
  switch (reason) {
    case FailureReason::kRefused:
      return "refused";
    case FailureReason::kReset:
      return "reset";
    case FailureReason::kTimeout:
      return "timeout";
    case FailureReason::kMalformed:
      return "malformed";
    case FailureReason::kStaleConnection:
      return "stale-connection";
    case FailureReason::kFull:
      return "full";
    case FailureReason::kOther:
      break;
  }
  return "other";
}

FailureReason failure_reason(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kRefused:
      return FailureReason::kRefused;
    case ErrorKind::kReset:
      return FailureReason::kReset;
    case ErrorKind::kTimeout:
      return FailureReason::kTimeout;
    case ErrorKind::kMalformed:
      return FailureReason::kMalformed;
    case ErrorKind::kOverloaded:
      return error.side() == ErrorSide::kUpstream ? FailureReason::kFull : FailureReason::kOther;
    default:
      return FailureReason::kOther;
  }
}

bool is_of_replica(const Error& error) {
  return failure_reason(error) != FailureReason::kOther;
}

PodOutcome outcome_of(const Error& error, bool is_retryable_rejection) {
  if (error.side() != ErrorSide::kUpstream) return PodOutcome::kUnknown;
  switch (error.kind()) {
    case ErrorKind::kReset:
      return is_retryable_rejection ? PodOutcome::kUnresponsive : PodOutcome::kFailed;
    case ErrorKind::kRefused:
    case ErrorKind::kMalformed:
      return PodOutcome::kFailed;
    case ErrorKind::kTimeout:
      // A replica that does not accept the connection has failed; it is not merely slow.
      return error.may_retry() ? PodOutcome::kFailed : PodOutcome::kUnresponsive;
    case ErrorKind::kOverloaded:
      return is_retryable_rejection ? PodOutcome::kFull : PodOutcome::kUnknown;
    default:
      return PodOutcome::kUnknown;
  }
}

PodOutcome outcome_of_app_failure(FailureReason reason) {
  return reason == FailureReason::kRefused ? PodOutcome::kFailed : PodOutcome::kUnresponsive;
}

}  // namespace bellows::activator
