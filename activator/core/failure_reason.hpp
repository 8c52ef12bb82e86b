// Why an attempt at a replica failed: the labels of metrics and the words of the log.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "activator/core/pod_tracker.hpp"
#include "base/error.hpp"

namespace bellows::activator {

enum class FailureReason : std::uint8_t {
  kRefused,          ///< nothing listens there, or the app cannot be reached
  kReset,            ///< closed or reset before a response
  kTimeout,          ///< did not accept in time, or sent no byte in time
  kMalformed,        ///< sent something that is not HTTP
  kStaleConnection,  ///< an idle connection that closed just then; retried at the same replica
  kFull,             ///< refused: no slot was free there
  kOther,            ///< no socket, unknown host, ...
};
inline constexpr std::array<FailureReason, 7> kFailureReasons = {
    FailureReason::kRefused,   FailureReason::kReset,           FailureReason::kTimeout,
    FailureReason::kMalformed, FailureReason::kStaleConnection, FailureReason::kFull,
    FailureReason::kOther};
std::string_view to_string(FailureReason reason);

FailureReason failure_reason(const Error& error);

/// True if the replica failed, not this program on its way there: another replica, or the same one
/// once it is back, may serve the request.
bool is_of_replica(const Error& error);

/// What an error of forwarding a request says about the replica, if no response had begun. Nothing
/// if the response was too large: the app may serve the next request.
/// `is_retryable_rejection`: the replica's queue-proxy reported the error, so it is alive.
PodOutcome outcome_of(const Error& error, bool is_retryable_rejection = false);

/// What a local reply of the replica's queue-proxy (LoadReport::app_failure) says about it.
PodOutcome outcome_of_app_failure(FailureReason reason);

}  // namespace bellows::activator
