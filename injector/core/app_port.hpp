// Chooses the container port that takes the requests of a pod.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "injector/core/service.hpp"

namespace bellows::injector {

/// A port of a container of a pod.
struct AppPort {
  std::size_t container = 0;         ///< index among the containers, without init containers
  std::optional<std::size_t> index;  ///< index among its ports; nullopt: it is not declared
  std::uint16_t number = 0;
  std::string name;  ///< empty: it has none

  bool operator==(const AppPort&) const = default;
};

/// Returns the declared TCP ports of all containers of a pod, in the order of the text.
std::vector<AppPort> declared_ports(const Node& pod_spec);

/// Chooses `wish` (a name or number; empty: none), or the port that speaks HTTP: of those that the
/// Services target, without such a Service of the declared ones. Ports for metrics, health and
/// administration are never chosen. kNotFound: no port speaks HTTP, or nothing indicates it, so the
/// pods do not need a queue-proxy. Other errors: several ports do, or a queue-proxy cannot serve
/// the port (TLS). Errors state what to do. `services` are those that select the pod.
Result<AppPort> choose_app_port(const Node& pod_spec, const std::vector<Service>& services,
                                const std::string& wish);

/// Returns true if requests to this port of a Service reach `app`.
bool leads_to(const ServicePort& port, const AppPort& app);

}  // namespace bellows::injector
