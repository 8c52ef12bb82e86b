// The changes of one workload, decided from its pod spec and the Services that select its pods.
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
#include "injector/core/selection.hpp"
#include "injector/core/sidecar_resources.hpp"

namespace bellows::injector {

/// Choices of the user.
struct InjectOptions {
  std::string image;
  std::string autoscaler;        ///< WebSocket URL; empty: no stats are sent
  std::string port;              ///< port of the app, if ambiguous; empty: by annotations
  SidecarResources resources;    ///< for workloads without annotations about them
  Selection selection;           ///< the workloads to inject
  bool is_native = false;        ///< the server has native sidecars (1.29)
  bool changes_services = true;  ///< Services with a numeric target port are changed
  /// At admission: the name of what makes the pod, which is the input. Nothing takes its
  /// queue-proxy out again, so it gets no record. Empty: manifests.
  std::string workload = {};

  bool is_admission() const { return !workload.empty(); }
};

struct Plan {
  AppPort app;
  std::string container;                ///< name of the app's container
  std::string port_name;                ///< of the queue-proxy's port, which Services name
  std::string user_port_name;           ///< new name of the app's port; empty: it had none
  std::vector<std::string> references;  ///< paths that refer to the app's port by its old name
  bool moves_readiness = false;         ///< the readiness probe moves to the queue-proxy
  bool adds_hook = false;               ///< the app gets a preStop hook
  config::QueueProxySettings settings;  ///< of the queue-proxy
  SidecarResources resources;           ///< of its container
  std::vector<std::string> notes;       ///< information for the user
  std::vector<std::string> warnings;    ///< changes that the user should make
};

/// Returns the error for a workload that must not be changed.
Error refused(std::string culprit, std::string why);

/// Makes the plan. `services` are those that select the pods. `earlier_port` is the app's port of
/// an earlier inject; it is used if nothing indicates the protocol. An error states why the
/// workload gets no queue-proxy; kNotFound: nothing indicates that it takes HTTP requests.
Result<Plan> plan_for(const Resource& workload, const std::vector<Service>& services,
                      const InjectOptions& options, const std::string& earlier_port);

}  // namespace bellows::injector
