#include "config/port_range.hpp"

#include "base/read_number.hpp"

namespace bellows::config {

namespace {

std::optional<std::uint16_t> read_port(std::string_view text) {
  const auto port = read_number<std::uint16_t>(text);
  return port && *port > 0 ? port : std::nullopt;
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
