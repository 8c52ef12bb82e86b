#include "config/fixed_ports.hpp"

namespace bellows::config {

FixedPorts::FixedPorts(const RunSettings& run) {
  if (run.admin.port != 0) owners_[run.admin.port] = "admin";
  if (run.listen.port != 0) owners_[run.listen.port] = "listen";
}

Result<void> FixedPorts::take(const RevisionId& service, std::uint16_t port) {
  if (port == 0) return {};
  const std::string name = "service " + service.text();
  const auto [owner, is_new] = owners_.emplace(port, name);
  if (is_new || owner->second == name) return {};
  return fail(ErrorKind::kConflict, name + ": port",
              "\"" + std::to_string(port) + "\": " + owner->second + " has it; want another one");
}

}  // namespace bellows::config
