// The template of an access log line: text with ${name} placeholders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bellows::config {

/// A field of a request in the access log. access_field_names() has the names.
enum class AccessField : std::uint8_t {
  kTime,      ///< end of the request, RFC 3339 in UTC with milliseconds
  kService,   ///< empty if no service matches
  kRevision,  ///< of the service
  kMethod,
  kHost,
  kUrl,            ///< the request target, query included
  kProtocol,       ///< HTTP/1.1
  kStatus,         ///< sent to the client; 0: the client disconnected before it
  kRequestBytes,   ///< of the body
  kResponseBytes,  ///< of the body
  kUserAgent,
  kReferer,
  kRemoteIp,
  kServerIp,    ///< upstream address and port; empty: not proxied
  kReplica,     ///< upstream name
  kRetries,     ///< attempts after the first, on any replica
  kQueueMs,     ///< time in the queue
  kLatencyMs,   ///< from its arrival to the end of its response
  kTraceId,     ///< of its W3C traceparent
  kRequestId,   ///< its X-Request-Id, or the one that Bellows made for its own response
  kError,       ///< kind of the error that ended it (docs/errors.md), or empty
  kGrpcStatus,  ///< code of a gRPC response in its head; empty: no gRPC, or the code is in trailers
};

/// Returns the names by AccessField: "time", "service", ...
const std::vector<std::string_view>& access_field_names();

/// A text, followed by an optional field.
struct AccessPiece {
  std::string text;
  std::optional<AccessField> field;

  bool operator==(const AccessPiece&) const = default;
};

/// Returns the pieces of a template; nullopt if it names an unknown field or leaves a "${" open. A
/// '$' without '{' is text.
std::optional<std::vector<AccessPiece>> parse_access_template(std::string_view text);

/// Returns the default template: a JSON object with every field.
std::string json_access_template();

}  // namespace bellows::config
