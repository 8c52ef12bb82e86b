// IP addresses and networks in CIDR notation (RFC 4632, RFC 4291 2.3). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bellows {

/// An IPv4 address is kept as its IPv4-mapped IPv6 address (RFC 4291 2.5.5.2), so both are equal.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  bool operator==(const IpAddress&) const = default;
};

/// "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"; nothing if it is none.
std::optional<IpAddress> parse_ip_address(std::string_view text);

/// A network: an address and how many of its first bits count.
struct IpRange {
  IpAddress network;
  std::uint8_t bits = 128;  ///< of the 128 of an IPv6 address: 104 for 10.0.0.0/8

  bool contains(const IpAddress& address) const;
  bool operator==(const IpRange&) const = default;
};

/// "10.0.0.0/8", "fd00::/8", or one address. Nothing if it is none, or has bits beyond its prefix:
/// 10.1.0.0/8 is a mistake.
std::optional<IpRange> parse_ip_range(std::string_view text);

/// Loopback, private (RFC 1918), unique local (RFC 4193) and link-local networks.
const std::vector<IpRange>& private_ip_ranges();

}  // namespace bellows
