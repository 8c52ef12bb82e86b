// What is done to one workload: decided from its pod spec and the Services that select its pods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "config/queue_proxy_settings.hpp"
#include "injector/core/app_port.hpp"
#include "injector/core/resource.hpp"

namespace bellows::injector {

/// What a user decides.
struct InjectOptions {
  std::string image;
  std::string autoscaler;        ///< WebSocket URL; empty: no stats are sent
  std::string port;              ///< of the app, where it is not clear; empty: as annotations say
  bool is_native = false;        ///< the server has native sidecars (1.29)
  bool changes_services = true;  ///< Services with a numeric target port are changed
};

struct Plan {
  AppPort app;
  std::string container;                ///< its name
  std::string port_name;                ///< of the queue-proxy's port: what Services name
  std::string user_port_name;           ///< the app's port gets this name; empty: it had none
  std::vector<std::string> references;  ///< paths that name the app's port by its old name
  bool moves_readiness = false;         ///< the readiness probe goes to the queue-proxy
  bool adds_hook = false;               ///< the app gets a preStop hook
  config::QueueProxySettings settings;  ///< of the queue-proxy
  std::vector<std::string> notes;       ///< what a user should know
  std::vector<std::string> warnings;    ///< what a user should change
};

/// Of a workload that must stay as it is.
Error refused(std::string culprit, std::string why);

/// `services`: those that select the pods. An error says why the workload is refused.
Result<Plan> plan_for(const Resource& workload, const std::vector<Service>& services,
                      const InjectOptions& options);

}  // namespace bellows::injector
