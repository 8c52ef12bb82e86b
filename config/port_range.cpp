#include "config/port_range.hpp"

#include <charconv>

namespace bellows::config {

namespace {

std::optional<std::uint16_t> read_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (code != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

}  // namespace

std::optional<PortRange> read_port_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = read_port(text.substr(0, dash));
  const auto last = read_port(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return PortRange{.first = *first, .last = *last};
}

std::string to_string(const PortRange& range) {
  return std::to_string(range.first) + "-" + std::to_string(range.last);
}

}  // namespace bellows::config
