// The ports that services of one machine have for themselves (setting `port`). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
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

}  // namespace bellows::config
