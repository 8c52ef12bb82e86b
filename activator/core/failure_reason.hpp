// Reasons why an attempt at a replica failed, for the labels of metrics and the log.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "activator/core/pod_tracker.hpp"
#include "base/error.hpp"

namespace bellows::activator {

enum class FailureReason : std::uint8_t {
  kRefused,          ///< no process listens there, or the app cannot be reached
  kReset,            ///< closed or reset before a response
  kTimeout,          ///< did not accept in time, or sent no byte in time
  kMalformed,        ///< sent bytes that are not HTTP
  kStaleConnection,  ///< an idle connection closed at the same time; retried at the same replica
  kFull,             ///< rejected because no slot was free there
  kOther,            ///< no socket, unknown host, ...
};
inline constexpr std::array<FailureReason, 7> kFailureReasons = {
    FailureReason::kRefused,   FailureReason::kReset,           FailureReason::kTimeout,
    FailureReason::kMalformed, FailureReason::kStaleConnection, FailureReason::kFull,
    FailureReason::kOther};
std::string_view to_string(FailureReason reason);

FailureReason failure_reason(const Error& error);

/// Returns true if the replica caused the failure: another replica, or the same one after it has
/// recovered, may serve the request.
bool is_of_replica(const Error& error);

/// Returns what an error of forwarding a request shows about the replica, if no response had begun.
/// A response that was too large shows nothing, because the app may serve the next request.
/// `is_retryable_rejection`: the replica's queue-proxy reported the error, so it is alive.
PodOutcome outcome_of(const Error& error, bool is_retryable_rejection = false);

/// Returns what a local reply of the replica's queue-proxy (LoadReport::app_failure) shows about
/// the replica.
PodOutcome outcome_of_app_failure(FailureReason reason);

}  // namespace bellows::activator
