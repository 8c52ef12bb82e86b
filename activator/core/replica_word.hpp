// What a replica's queue-proxy tells its activator with each answer, in headers that end there.
#pragma once

#include <cstdint>
#include <optional>

#include "activator/core/failure_reason.hpp"
#include "http/core/head.hpp"

namespace bellows::activator {

struct ReplicaWord {
  /// Requests that it runs or holds, this one included (X-Bellows-In-Flight).
  std::optional<std::int32_t> in_flight;
  /// How long this request waited there (X-Bellows-Queue-Ms).
  std::int64_t queue_ms = 0;
  /// The queue-proxy answers in its app's stead (502 or 504 with X-Bellows-Reason), and why. What
  /// it says of callers (408, 400) and of its own queue (503; 504 with X-Bellows-Queue: timeout) is
  /// none of these.
  std::optional<FailureReason> app_failure = std::nullopt;
  /// The app gave this answer. One with X-Bellows-Reason is the queue-proxy's own, which takes an
  /// app's line of that name away: it says nothing good of the app.
  bool is_of_app = true;
};

/// What is not a number, or not one that can be, counts as not said.
ReplicaWord replica_word(const http::ResponseHead& head);

}  // namespace bellows::activator
