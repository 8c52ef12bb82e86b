// Settings of the access log: a line per request, for those who want one.
#pragma once

#include <string>

#include "config/schema.hpp"

namespace bellows::config {

struct AccessLogSettings {
  bool enabled = false;  ///< access-log
  std::string line;      ///< access-log-template; empty: JSON with every field
  bool probes = false;   ///< access-log-probes: probes too

  bool operator==(const AccessLogSettings&) const = default;
};

/// For every program that takes requests to include.
const Schema<AccessLogSettings>& access_log_schema();

}  // namespace bellows::config
