// Settings of the paths of requests on Kubernetes: activators in and out of Services.
#pragma once

#include <string>

#include "base/time.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// Declared field by field in path_settings.cpp.
struct PathSettings {
  /// NAMESPACE/NAME of the Service whose endpoints are the activators; empty: paths stay as they
  /// are.
  std::string activator_service = "bellows-system/bellows-activator";
  std::string activator_ports = "20000-29999";  ///< read_port_range()
  Duration settle_time = std::chrono::seconds(3);
  bool last_resort_endpoints = true;

  bool operator==(const PathSettings&) const = default;
};

const Schema<PathSettings>& path_schema();

}  // namespace bellows::config
