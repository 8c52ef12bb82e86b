#include "base/ip_range.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "base/read_number.hpp"

namespace bellows {

namespace {

constexpr std::size_t kV4Begin = 12;  // first byte of the IPv4 part of an IPv4-mapped address
constexpr std::uint8_t kV4Bits = 32;
constexpr std::uint8_t kBits = 128;

/// Reads an address as inet_pton() does, which refuses leading zeros and zones.
bool read(int family, std::string_view text, std::uint8_t* bytes) {
  std::array<char, INET6_ADDRSTRLEN> terminated{};
  if (text.size() >= terminated.size() || text.find('\0') != std::string_view::npos) return false;
  text.copy(terminated.data(), text.size());
  return ::inet_pton(family, terminated.data(), bytes) == 1;
}

/// Returns the bits of byte `i` that belong to a prefix.
std::uint8_t mask_of(std::size_t i, std::uint8_t bits) {
  const int left = std::clamp(static_cast<int>(bits) - static_cast<int>(8 * i), 0, 8);
  return static_cast<std::uint8_t>(0xff00U >> static_cast<unsigned>(left));
}

}  // namespace

std::optional<IpAddress> parse_ip_address(std::string_view text) {
  IpAddress address;
  if (text.find(':') != std::string_view::npos) {
    return read(AF_INET6, text, address.bytes.data()) ? std::optional(address) : std::nullopt;
  }
  address.bytes[kV4Begin - 1] = address.bytes[kV4Begin - 2] = 0xff;
  const bool is_valid = read(AF_INET, text, address.bytes.data() + kV4Begin);
  return is_valid ? std::optional(address) : std::nullopt;
}

bool IpRange::contains(const IpAddress& address) const {
  for (std::size_t i = 0; i < address.bytes.size(); ++i) {
    if (((address.bytes[i] ^ network.bytes[i]) & mask_of(i, bits)) != 0) return false;
  }
  return true;
}

std::optional<IpRange> parse_ip_range(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = parse_ip_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  IpRange range{.network = *address};
  if (slash == std::string_view::npos) return range;
  const bool is_v4 = text.find(':') == std::string_view::npos;
  const std::uint8_t max = is_v4 ? kV4Bits : kBits;
  const auto bits = read_number<std::uint8_t>(text.substr(slash + 1));
  if (!bits || *bits > max) return std::nullopt;
  range.bits = static_cast<std::uint8_t>(kBits - max + *bits);
  for (std::size_t i = 0; i < address->bytes.size(); ++i) {
    if ((address->bytes[i] & static_cast<std::uint8_t>(~mask_of(i, range.bits))) != 0) {
      return std::nullopt;
    }
  }
  return range;
}

const std::vector<IpRange>& private_ip_ranges() {
  static const std::vector<IpRange> ranges = [] {
    std::vector<IpRange> all;
    for (const char* text : {"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",
                             "169.254.0.0/16", "::1", "fc00::/7", "fe80::/10"}) {
      all.push_back(parse_ip_range(text).value());
    }
    return all;
  }();
  return ranges;
}

}  // namespace bellows
