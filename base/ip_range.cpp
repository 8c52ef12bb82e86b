#include "base/ip_range.hpp"

#include <algorithm>

#include "base/read_number.hpp"

namespace bellows {

namespace {

constexpr std::size_t kV4Begin = 12;  // first byte of the IPv4 part of an IPv4-mapped address
constexpr std::uint8_t kV4Bits = 32;
constexpr std::uint8_t kBits = 128;

/// Reads four decimal numbers. Leading zeros are an error because some readers take such numbers
/// for octal.
bool read_v4(std::string_view text, std::uint8_t* bytes) {
  for (int i = 0; i < 4; ++i) {
    const std::size_t dot = text.find('.');
    if ((dot == std::string_view::npos) != (i == 3)) return false;
    const std::string_view part = text.substr(0, dot);
    if (part.size() > 1 && part.front() == '0') return false;
    const auto number = read_number<std::uint8_t>(part);
    if (!number) return false;
    bytes[i] = *number;
    text.remove_prefix(std::min(part.size() + 1, text.size()));
  }
  return true;
}

/// Reads the groups of one side of a "::". Returns false if they are malformed or too many. The
/// last one may be an IPv4 address.
bool read_groups(std::string_view text, std::vector<std::uint8_t>& bytes) {
  constexpr std::size_t kMaxDigits = 4;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    const bool is_last = colon == std::string_view::npos;
    if (is_last && part.find('.') != std::string_view::npos) {
      std::array<std::uint8_t, 4> v4{};
      if (!read_v4(part, v4.data())) return false;
      bytes.insert(bytes.end(), v4.begin(), v4.end());
      return true;
    }
    const auto group = read_number<std::uint16_t>(part, 16);
    if (part.size() > kMaxDigits || !group) return false;
    bytes.push_back(static_cast<std::uint8_t>(*group >> 8U));
    bytes.push_back(static_cast<std::uint8_t>(*group & 0xffU));
    if (is_last) return true;
    text.remove_prefix(colon + 1);
    if (text.empty()) return false;
  }
  return true;
}

std::optional<IpAddress> read_v6(std::string_view text) {
  const std::size_t gap = text.find("::");
  std::vector<std::uint8_t> first;
  std::vector<std::uint8_t> last;
  if (!read_groups(text.substr(0, gap), first)) return std::nullopt;
  IpAddress address;
  if (gap == std::string_view::npos) {
    if (first.size() != address.bytes.size()) return std::nullopt;
  } else if (!read_groups(text.substr(gap + 2), last) ||
             first.size() + last.size() >= address.bytes.size()) {
    return std::nullopt;
  }
  std::copy(first.begin(), first.end(), address.bytes.begin());
  std::copy_backward(last.begin(), last.end(), address.bytes.end());
  return address;
}

/// Returns the bits of byte `i` that belong to a prefix.
std::uint8_t mask_of(std::size_t i, std::uint8_t bits) {
  const int left = std::clamp(static_cast<int>(bits) - static_cast<int>(8 * i), 0, 8);
  return static_cast<std::uint8_t>(0xff00U >> static_cast<unsigned>(left));
}

}  // namespace

std::optional<IpAddress> parse_ip_address(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return read_v6(text);
  IpAddress address;
  address.bytes[kV4Begin - 1] = address.bytes[kV4Begin - 2] = 0xff;
  if (!read_v4(text, address.bytes.data() + kV4Begin)) return std::nullopt;
  return address;
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
