// Settings of the ports for requests: alike in every program that serves them.
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "config/schema.hpp"

namespace bellows::config {

struct ServerSettings {
  std::int32_t max_connections = 15000;     ///< of callers; less if descriptors allow fewer
  std::int32_t max_client_connections = 0;  ///< of one address; 0: no limit
  Duration idle_timeout = std::chrono::seconds(180);  ///< of a connection without a request

  bool operator==(const ServerSettings&) const = default;
};

/// Included by every program that serves requests.
const Schema<ServerSettings>& server_schema();

}  // namespace bellows::config
