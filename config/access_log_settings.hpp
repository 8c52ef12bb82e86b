// Settings of the access log: one line per request.
#pragma once

#include <string>

#include "config/schema.hpp"

namespace bellows::config {

struct AccessLogSettings {
  bool enabled = false;  ///< access-log
  std::string line;      ///< access-log-template; empty: JSON with every field
  bool probes = false;   ///< access-log-probes: lines for probes too

  bool operator==(const AccessLogSettings&) const = default;
};

/// Returns the declarations, which every program that serves requests includes.
const Schema<AccessLogSettings>& access_log_schema();

}  // namespace bellows::config
