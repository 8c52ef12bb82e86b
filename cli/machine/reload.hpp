// The difference between the settings of a running machine and a changed settings file.
#pragma once

#include <string>
#include <vector>

#include "config/bellows_file.hpp"

namespace bellows::cli {

struct Reload {
  struct Service {
    RevisionId name;
    config::RevisionSettings settings;
    std::vector<config::Change> changes;  ///< not empty
  };
  std::vector<Service> services;           ///< change now; sorted by name
  std::vector<std::string> after_restart;  ///< "listen", "service shop (new)"

  bool empty() const { return services.empty() && after_restart.empty(); }
};

/// Every per-service setting changes while the service runs. Everything else in the file
/// (addresses, commands, routes, the list of services, whether one is measured) takes effect after
/// a restart.
Reload plan_reload(const config::UpSettings& running, const config::UpSettings& requested);

/// The `changes` that only new replicas follow: "drain-timeout, queue-bytes".
std::string only_for_new_replicas(const std::vector<config::Change>& changes);

}  // namespace bellows::cli
