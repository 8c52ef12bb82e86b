// The address of a listening or connecting socket, as text and as data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bellows {

/// "host:port" for TCP (host is a name, an IPv4 or a bracketed IPv6 address), or "unix:/path" for a
/// Unix socket.
struct Endpoint {
  std::string host;        ///< without brackets; empty for a Unix socket
  std::uint16_t port = 0;  ///< 0 when listening: the system chooses one
  std::string unix_path;   ///< empty unless it is a Unix socket

  bool is_unix() const { return !unix_path.empty(); }
  bool empty() const { return host.empty() && unix_path.empty(); }
  bool operator==(const Endpoint&) const = default;
};

/// Reads the forms above; ":8080" means all addresses. Errors are kInvalidSetting with what is
/// valid.
Result<Endpoint> parse_endpoint(std::string_view text);

/// Returns true if two sockets cannot listen at both: the same path, or the same port at the same
/// address or at all of them. Port 0 is a free one. A name other than localhost is not resolved.
bool overlap(const Endpoint& a, const Endpoint& b);

/// Returns the text that parse_endpoint() reads back.
std::string to_string(const Endpoint& endpoint);

}  // namespace bellows
