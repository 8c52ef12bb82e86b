// What a queue-proxy reports about its replica with each response, in hop headers.
#pragma once

#include <cstdint>
#include <optional>

#include "activator/core/failure_reason.hpp"
#include "http/core/head.hpp"

namespace bellows::activator {

/// The load of a replica, and whether its app responded.
struct LoadReport {
  /// Requests that it runs or queues, this one included (X-Bellows-In-Flight).
  std::optional<std::int32_t> in_flight;
  /// How long this request waited there (X-Bellows-Queue-Ms).
  std::int64_t queue_ms = 0;
  /// Why the app failed, if the queue-proxy replies for it (502 or 504 with X-Bellows-Reason). Its
  /// replies about the caller (408, 400) and about its own queue (503; 504 with X-Bellows-Queue:
  /// timeout) do not count.
  std::optional<FailureReason> app_failure = std::nullopt;
  /// True if the app sent this response. One with X-Bellows-Reason is the queue-proxy's local reply
  /// (it removes such a header of an app), so it does not show that the app works.
  bool is_of_app = true;
};

/// A header that has no valid value counts as missing.
LoadReport read_load_report(const http::ResponseHead& head);

}  // namespace bellows::activator
