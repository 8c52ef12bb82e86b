// The ports of one machine: of Bellows, and those that services have for themselves (setting
// `port`). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "config/layer.hpp"
#include "config/run_settings.hpp"

namespace bellows::config {

/// Each port with its owner.
class FixedPorts {
 public:
  FixedPorts() = default;
  /// The ports of `listen` and `admin` are taken.
  explicit FixedPorts(const RunSettings& run);

  /// Gives the port to the service; 0 is none. kConflict: another one has it.
  Result<void> take(const RevisionId& service, std::uint16_t port);

 private:
  std::map<std::uint16_t, std::string> owners_;  // "listen", "service web"
};

/// Fails if two of the addresses for requests, pages and redirects are one.
Result<void> check_addresses(const RunSettings& settings);

/// Lowers the numbers of replicas in the layers of one service to the single one that its fixed
/// port allows, if it has one. The layer `own` stays as it is: a number there contradicts the port.
void yield_to_port(std::span<Layer> layers, std::size_t own);

}  // namespace bellows::config
