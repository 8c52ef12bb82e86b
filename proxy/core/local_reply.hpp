// Local replies: responses of Bellows itself to errors and probes. http/core/status.hpp maps errors
// to status codes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "config/request_policies.hpp"
#include "http/core/head.hpp"

namespace bellows::proxy {

/// A small, complete response of Bellows itself.
struct LocalReply {
  int status = 200;
  std::string body;  ///< plain text; for an error: with every detail
  /// The text for callers unless error-detail is full. Empty: `body` contains only what they know.
  std::string_view generic = {};
  bool is_probe = false;  ///< reply to a probe: not logged, without a request id
  std::string content_type = "text/plain; charset=utf-8";
  std::string extra_lines;  ///< header lines, each with its CRLF
  std::optional<int> retry_after_seconds;
  /// Reason of the reply, for X-Bellows-Reason: the kind of an error, "probe", "max-forwards",
  /// "https", "misdirected", "challenge". A literal.
  std::string_view reason = {};
  /// Status of a gRPC call that an app has ended without a response; nullopt: derived from
  /// `status`.
  std::optional<int> grpc_status = std::nullopt;
  bool close = false;  ///< closes the connection
};

/// Returns a sentence without names and addresses for an error that has them. It blames the side
/// that the status (http/core/status.hpp) blames. It is empty if the error is about the caller's
/// own message.
std::string_view generic_text(const Error& error);

/// Makes the reply to an error. The text names culprit and reason, without bytes that a terminal
/// may interpret. `retry_after_seconds` is sent only with 503.
LocalReply local_reply_for(const Error& error,
                           std::optional<int> retry_after_seconds = std::nullopt);

/// Names of the settings that limit a head; empty: the limits are fixed.
struct HeadSettings {
  std::string_view fields = {};  ///< HeadLimits::fields
  std::string_view bytes = {};   ///< HeadLimits::line and total
};

/// Returns the limit that a fault of size exceeds, to be appended to fault_text(): ", max-headers
/// is 100", or ", the limit is 8Ki bytes" if it is fixed. It is empty for other faults.
std::string limit_text(http::HeadFault fault, const http::HeadLimits& limits,
                       const HeadSettings& settings);

/// Makes the reply to a malformed head. For a fault of size the text names the limit.
LocalReply local_reply_for(http::HeadFault fault, const http::HeadLimits& limits,
                           const HeadSettings& settings);

/// Prepares a reply with a generic text for a caller: adds `request_id` as X-Request-Id if it is
/// not empty, and drops the detail unless `detail` is full.
void withhold_detail(LocalReply& reply, config::ErrorDetail detail, std::string_view request_id);

/// Returns true if the text is a safe request id for logs and paths: 1 to 128 letters, digits and
/// -._~:@=+
bool is_request_id(std::string_view text);

/// Appends head and body to `out`. `for_head` omits the body but keeps its length. Without
/// `keep_alive` it writes Connection: close. `date_line` includes its CRLF.
void write_local_reply(const LocalReply& reply, bool for_head, bool keep_alive,
                       std::string_view date_line, std::string& out);

}  // namespace bellows::proxy
