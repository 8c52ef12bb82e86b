// Formats one line of the access log: a template filled with the data of a request. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "config/access_log_template.hpp"

namespace bellows::proxy {

/// A request that has ended. The call uses its views and does not keep them.
struct AccessRecord {
  WallTime ended{};
  std::string_view service;
  std::string_view revision;
  std::string_view method;
  std::string_view host;
  std::string_view url;
  bool is_http2 = false;
  int minor_version = 1;  ///< of HTTP/1
  int status = 0;
  std::uint64_t request_bytes = 0;
  std::uint64_t response_bytes = 0;
  std::string_view user_agent;
  std::string_view referer;
  std::string_view remote_ip;
  std::string_view server_ip;
  std::string_view replica;
  int retries = 0;
  Duration queued{};
  Duration latency{};
  std::string_view trace_id;
  std::string_view request_id;  ///< X-Request-Id, or the one that Bellows generated
  std::string_view error;
  std::optional<int> grpc_status = {};
};

/// A parsed template. Immutable. Owner: the access log.
class AccessLine {
 public:
  /// `text` must have passed config::parse_access_template(); an empty text selects the JSON with
  /// every field.
  explicit AccessLine(std::string_view text);

  /// Appends the line with its line end. Escapes values as in JSON text, so that a caller cannot
  /// inject lines.
  void append(const AccessRecord& record, std::string& out) const;

 private:
  std::vector<config::AccessPiece> pieces_;
};

/// Returns "2026-11-21T08:03:19.004Z".
std::string rfc3339(WallTime at);

}  // namespace bellows::proxy
