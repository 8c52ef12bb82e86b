// Settings of the paths of requests on Kubernetes, for activators in and out of Services.
#pragma once

#include <string>
#include <string_view>

#include "base/time.hpp"

namespace bellows::config {

inline constexpr std::string_view kDefaultActivatorService = "bellows-system/bellows-activator";

struct PathSettings {
  /// NAMESPACE/NAME of the Service whose endpoints are the activators; empty: paths do not change.
  std::string activator_service{kDefaultActivatorService};
  std::string activator_ports = "20000-29999";  ///< read_port_range()
  Duration settle_time = std::chrono::seconds(3);
  bool last_resort_endpoints = true;
  bool activators_on_each_node = false;

  bool operator==(const PathSettings&) const = default;
};

}  // namespace bellows::config
