// What a changed settings file asks of a running machine.
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
  std::vector<Service> services;     ///< those whose settings are to change now, by name
  std::vector<std::string> waiting;  ///< what only a start brings: "listen", "service shop (new)"

  bool empty() const { return services.empty() && waiting.empty(); }
};

/// Every per-service setting changes while the service runs. What else the file says (addresses,
/// commands, routes, which services there are, whether one is measured) holds from the next start
/// on.
Reload plan_reload(const config::UpSettings& running, const config::UpSettings& asked);

/// Of `changes`, those that replicas which run already do not follow: "drain-timeout, queue-bytes".
std::string kept_by_running(const std::vector<config::Change>& changes);

}  // namespace bellows::cli
