// A range of ports: "20000-29999".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bellows::config {

/// First and last port, both included.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  bool has(std::uint16_t port) const { return first <= port && port <= last; }
  bool operator==(const PortRange&) const = default;
};

/// Reads FIRST-LAST with 1 <= FIRST <= LAST <= 65535; nullopt for any other text.
std::optional<PortRange> read_port_range(std::string_view text);
/// Returns the text that read_port_range() reads back.
std::string to_string(const PortRange& range);

}  // namespace bellows::config
