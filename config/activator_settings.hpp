// Settings of the activator program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/units.hpp"
#include "config/access_log_settings.hpp"
#include "config/log_settings.hpp"
#include "config/schema.hpp"
#include "config/websocket_url.hpp"

namespace bellows::config {

/// Declared field by field in activator_settings.cpp. What it holds per revision (queue-depth,
/// queue-bytes, queue-age) stands in RevisionSettings.
struct ActivatorSettings {
  Endpoint listen{.host = "0.0.0.0", .port = 8012, .unix_path = {}};  ///< callers
  Endpoint admin{.host = "0.0.0.0", .port = 8022, .unix_path = {}};   ///< health and metrics
  Endpoint cluster;             ///< the Unix socket of `bellows up --autoscaler`; required
  WebSocketUrl autoscaler;      ///< where stats go; required
  std::optional<PodName> name;  ///< as a source of stats; unset: see source_name()
  Bytes max_header_bytes = kibibytes(32);  ///< request line and headers together; over it: 431
  std::int32_t max_headers = 100;          ///< header lines of a request; over it: 431
  std::optional<Duration> drain_timeout;   ///< for what is in flight when it leaves; unset: as the
                                           ///< longest that a service takes
  std::int32_t activators = 1;             ///< how many there are, this one included
  std::int32_t activator_index = -1;  ///< which of them this is, from 0 on; -1: not one of them
  LogSettings log;
  AccessLogSettings access_log;

  bool operator==(const ActivatorSettings&) const = default;
};

/// Its name as a source of stats, unique among activators: `name`, or "activator-0" after its
/// index, or the host and process that it runs as.
PodName source_name(const ActivatorSettings& settings, const std::string& host,
                    std::int64_t process);

const Schema<ActivatorSettings>& activator_schema();

}  // namespace bellows::config
