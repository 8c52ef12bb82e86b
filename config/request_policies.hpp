// Policies for requests that several programs have as settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"

namespace bellows::config {

/// The activator's choice among the replicas with a free slot.
enum class LoadBalancing : std::uint8_t {
  kLeastLoaded,     ///< fewest requests in flight, as the replicas report
  kKnative,         ///< by the hard limit: 0 random-choice-2, 1..3 first-available, else
                    ///< round-robin (knative.md 4.2)
  kRandomChoice2,   ///< the less loaded of two random ones
  kFirstAvailable,  ///< the first one, by name, with a free slot
  kRoundRobin,      ///< in turn
};

/// Selects the responses that have X-Bellows-Queue-Ms, the time of the request in the queue.
enum class QueueTimeHeader : std::uint8_t {
  kAsked,   ///< responses to requests that have this header
  kWaited,  ///< also responses to requests that were queued
  kAlways,
};

/// The content of local replies (docs/decisions/security.md).
enum class ErrorDetail : std::uint8_t {
  kGeneric,  ///< a sentence for the status; the log has the rest under the request id
  kFull,     ///< names of replicas, their addresses, the last lines of the app
};

/// The version of HTTP between queue-proxy and app, without TLS.
enum class AppProtocol : std::uint8_t {
  kAuto,   ///< HTTP/2 if the app answers its preface when it becomes ready, else HTTP/1.1
  kHttp1,  ///< HTTP/1.1
  kH2c,    ///< HTTP/2 with prior knowledge
};

/// Returns the time that a terminating replica has to finish its requests: `explicit_time`, else
/// `request_timeout` (Knative's grace period is timeoutSeconds), else 5 minutes.
Duration drain_time(std::optional<Duration> explicit_time, Duration request_timeout);

/// Returns the name in settings.
std::string to_string(AppProtocol protocol);

}  // namespace bellows::config
