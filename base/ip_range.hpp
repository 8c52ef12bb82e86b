// IP addresses and networks in CIDR notation (RFC 4632, RFC 4291 2.3). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bellows {

/// An IP address. An IPv4 address is stored as its IPv4-mapped IPv6 address (RFC 4291 2.5.5.2), so
/// both forms are equal.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  bool operator==(const IpAddress&) const = default;
};

/// Parses "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"; returns nullopt for any other text.
std::optional<IpAddress> parse_ip_address(std::string_view text);

/// A network: an address and the length of its prefix.
struct IpRange {
  IpAddress network;
  std::uint8_t bits = 128;  ///< length of the prefix in an IPv6 address: 104 for 10.0.0.0/8

  bool contains(const IpAddress& address) const;
  bool operator==(const IpRange&) const = default;
};

/// Parses "10.0.0.0/8", "fd00::/8" or one address. Returns nullopt for any other text, and for an
/// address with bits beyond its prefix, because 10.1.0.0/8 is a mistake.
std::optional<IpRange> parse_ip_range(std::string_view text);

/// Returns the loopback, private (RFC 1918), unique local (RFC 4193) and link-local networks.
const std::vector<IpRange>& private_ip_ranges();

}  // namespace bellows
