// Proxies whose information about the caller's address is trusted. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/ip_range.hpp"

namespace bellows::proxy {

/// Immutable. Owner: the options of the server.
class TrustedProxies {
 public:
  /// The list has networks separated by commas, "private" and "none", as in
  /// config::proxy_list_format().
  explicit TrustedProxies(std::string_view list = "private");

  /// Returns true if the information of a client about earlier hops (Forwarded, X-Forwarded-*) is
  /// kept and appended to. nullopt is a client on a Unix socket, which is always trusted, because
  /// the mode of the socket's file controls access.
  bool has(const std::optional<IpAddress>& client) const;

 private:
  std::vector<IpRange> ranges_;
};

}  // namespace bellows::proxy
