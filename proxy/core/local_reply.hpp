// Responses of Bellows itself to errors and probes. http/core/status.hpp has their status codes.
// Pure.
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
  std::string body;  ///< plain text; of an error: with every detail
  /// What callers get instead of `body` unless error-detail is full; empty: `body` has nothing that
  /// they do not know.
  std::string_view generic = {};
  bool is_probe = false;  ///< the reply to a probe: neither logged nor given a request id
  std::string content_type = "text/plain; charset=utf-8";
  std::string extra_lines;  ///< header lines, each with its CRLF
  std::optional<int> retry_after_seconds;
  /// Why Bellows replies itself, for X-Bellows-Reason: the kind of an error, "probe",
  /// "max-forwards", "https", "misdirected", "challenge". A literal.
  std::string_view reason = {};
  /// To a call by gRPC: what the app has said instead of a response; nullopt: by `status`.
  std::optional<int> grpc_status = std::nullopt;
  bool close = false;  ///< ends the connection
};

/// A sentence without names and addresses for an error that has them; it blames whom the status
/// (http/core/status.hpp) blames. Empty: the error is about the caller's own message.
std::string_view generic_text(const Error& error);

/// The text names culprit and reason, without bytes that a terminal may obey. `retry_after_seconds`
/// goes with 503 only.
LocalReply local_reply_for(const Error& error,
                           std::optional<int> retry_after_seconds = std::nullopt);

/// The settings that limit a head; empty: the limits are fixed.
struct HeadSettings {
  std::string_view fields = {};  ///< HeadLimits::fields
  std::string_view bytes = {};   ///< HeadLimits::line and total
};

/// The limit that a fault of size exceeds, to be appended to fault_text(): ", max-headers is 100",
/// or
/// ", the limit is 8Ki bytes" if no setting has it. Empty for other faults.
std::string limit_text(http::HeadFault fault, const http::HeadLimits& limits,
                       const HeadSettings& settings);

/// The text of a fault of size names the limit.
LocalReply local_reply_for(http::HeadFault fault, const http::HeadLimits& limits,
                           const HeadSettings& settings);

/// Prepares a reply with a generic text for a caller: adds `request_id` as X-Request-Id if it is
/// not empty, and drops the detail unless `detail` says otherwise.
void withhold_detail(LocalReply& reply, config::ErrorDetail detail, std::string_view request_id);

/// A request id that may stand in a log and in a path: 1 to 128 letters, digits and -._~:@=+
bool is_request_id(std::string_view text);

/// Appends head and body to `out`. `for_head`: leaves out the body but not its length. `keep_alive`
/// false: writes Connection: close. `date_line` includes its CRLF.
void write_local_reply(const LocalReply& reply, bool for_head, bool keep_alive,
                       std::string_view date_line, std::string& out);

}  // namespace bellows::proxy
