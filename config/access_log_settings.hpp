// Settings of the access log: one line per request.
#pragma once

#include <string>

namespace bellows::config {

struct AccessLogSettings {
  bool enabled = false;  ///< access-log
  std::string line;      ///< access-log-template; empty: JSON with every field
  bool probes = false;   ///< access-log-probes: also lines for probes

  bool operator==(const AccessLogSettings&) const = default;
};

}  // namespace bellows::config
