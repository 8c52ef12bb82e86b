// Why a try on a replica failed, in the words of metrics and log.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "activator/core/pod_tracker.hpp"
#include "base/error.hpp"

namespace bellows::activator {

enum class FailureReason : std::uint8_t {
  kRefused,          ///< nobody listens there, or its app cannot be reached
  kReset,            ///< closed or reset before it answered
  kTimeout,          ///< did not take the connection, or gave no byte back, in time
  kMalformed,        ///< answered with something that is no HTTP
  kStaleConnection,  ///< a kept connection that closed just then; tried again on the same replica
  kOther,            ///< no socket, no such host, ...
};
inline constexpr std::array<FailureReason, 6> kFailureReasons = {
    FailureReason::kRefused,   FailureReason::kReset,           FailureReason::kTimeout,
    FailureReason::kMalformed, FailureReason::kStaleConnection, FailureReason::kOther};
std::string_view to_string(FailureReason reason);

FailureReason failure_reason(const Error& error);

/// What an error of passing a request on says about the replica, if no answer had begun. Nothing,
/// if the answer was too large: the app may answer the next request. `was_told`: by the replica's
/// queue-proxy, which lives.
PodOutcome outcome_of(const Error& error, bool was_told = false);

/// The same of an answer that the replica's queue-proxy gave in its app's stead.
PodOutcome outcome_of_told(FailureReason reason);

}  // namespace bellows::activator
