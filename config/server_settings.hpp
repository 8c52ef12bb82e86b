// Settings of the ports for requests, alike in every program that serves them.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::config {

struct ServerSettings {
  std::int32_t max_connections = 15000;     ///< of callers; less if descriptors allow fewer
  std::int32_t max_client_connections = 0;  ///< of one address; 0: no limit
  Duration idle_timeout = std::chrono::seconds(180);  ///< of a connection without a request
  Duration max_connection_age = Duration::zero();     ///< of a caller; 0: any
  Bytes max_header_bytes = kibibytes(32);             ///< of a head, start line included
  std::int32_t max_header_lines = 100;                ///< of a head
  Bytes min_body_rate = Bytes{64};                    ///< of a request, each second; 0: none
  std::string upgrade_protocols = "websocket";        ///< separated by commas
  std::string trusted_proxies = "private";            ///< see proxy_list_format()

  bool operator==(const ServerSettings&) const = default;
};

}  // namespace bellows::config
