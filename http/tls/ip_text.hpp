// Within http/tls.
#pragma once

#include <arpa/inet.h>

#include <string>

namespace bellows::http {

/// Returns true for "192.0.2.1" or "2001:db8::1".
inline bool is_ip_address(const std::string& name) {
  in6_addr ignored{};
  return ::inet_pton(AF_INET, name.c_str(), &ignored) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &ignored) == 1;
}

}  // namespace bellows::http
