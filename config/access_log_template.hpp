// The template of an access log line: text with ${name}s in it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bellows::config {

/// What an access log can tell about a request; the words are those of access_field_names().
enum class AccessField : std::uint8_t {
  kTime,     ///< of its end, RFC 3339 in UTC with milliseconds
  kService,  ///< its revision; empty if no service takes it
  kMethod,
  kHost,
  kUrl,            ///< the request target, query included
  kProtocol,       ///< HTTP/1.1
  kStatus,         ///< sent to the caller; 0: it left without one
  kRequestBytes,   ///< of the body
  kResponseBytes,  ///< of the body
  kUserAgent,
  kReferer,
  kRemoteIp,
  kServerIp,   ///< whom it was passed to, address and port; empty: nobody
  kReplica,    ///< whom it was passed to, by name
  kRetries,    ///< tries beyond the first, on whichever replica
  kQueueMs,    ///< how long it waited for a replica or a slot
  kLatencyMs,  ///< from its arrival to the end of its answer
  kTraceId,    ///< of its W3C traceparent
  kError,      ///< kind of the error that ended it (docs/errors.md); empty: none
};

/// "time", "service", ...: by AccessField.
const std::vector<std::string_view>& access_field_names();

/// Text, and then perhaps a field.
struct AccessPiece {
  std::string text;
  std::optional<AccessField> field;

  bool operator==(const AccessPiece&) const = default;
};

/// The pieces of a template, or nothing if it names a field that there is not or does not close a
/// "${". A '$' without '{' is text.
std::optional<std::vector<AccessPiece>> parse_access_template(std::string_view text);

/// One JSON object with every field.
std::string json_access_template();

}  // namespace bellows::config
