// The report of a queue-proxy about its replica with each response, in hop headers.
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
  /// Time that this request waited there, in milliseconds (X-Bellows-Queue-Ms).
  std::int64_t queue_ms = 0;
  /// Reason of the app's failure, if the queue-proxy replies for it (502 or 504 with
  /// X-Bellows-Reason). Its replies about the caller (408, 400) and about its own queue (503; 504
  /// with X-Bellows-Queue: timeout) do not count.
  std::optional<FailureReason> app_failure = std::nullopt;
  /// The app sent this response. A response with X-Bellows-Reason is a local reply of the
  /// queue-proxy (which removes such a header of an app), so it does not show that the app works.
  bool is_of_app = true;
};

/// Reads the report. A header with an invalid value counts as missing.
LoadReport read_load_report(const http::ResponseHead& head);

}  // namespace bellows::activator
