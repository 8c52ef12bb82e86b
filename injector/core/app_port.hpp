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

/// Chooses the port in this order: `wish` (a name or number; empty: none), the target of the
/// Services that select the pod, its only port, its only port whose name indicates HTTP. Otherwise
/// the error states why the choice is ambiguous, or why a queue-proxy cannot serve the port (TLS, a
/// protocol other than HTTP), and what to do. `services` are those that select the pod.
Result<AppPort> choose_app_port(const Node& pod_spec, const std::vector<Service>& services,
                                const std::string& wish);

/// Returns true if requests to this port of a Service reach `app`.
bool leads_to(const ServicePort& port, const AppPort& app);

}  // namespace bellows::injector
