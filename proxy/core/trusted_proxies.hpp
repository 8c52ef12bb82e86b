// Whose words about the caller's address are believed. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/ip_range.hpp"

namespace bellows::proxy {

/// Immutable. Owner: the options of the server.
class TrustedProxies {
 public:
  /// Networks separated by commas, "private" and "none", as in config::proxy_list_format().
  explicit TrustedProxies(std::string_view list = "private");

  /// True if what the client of a connection says about earlier ones (Forwarded, X-Forwarded-*) is
  /// kept and appended to. nullopt: a client by a Unix socket, which is always trusted: the mode of
  /// the socket's file says who may connect.
  bool has(const std::optional<IpAddress>& client) const;

 private:
  std::vector<IpRange> ranges_;
};

}  // namespace bellows::proxy
