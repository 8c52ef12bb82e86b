// Which port of which container takes the requests of a pod.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "injector/core/service.hpp"

namespace bellows::injector {

/// A port of a container of a pod.
struct AppPort {
  std::size_t container = 0;         ///< among the containers, without init containers
  std::optional<std::size_t> index;  ///< among its ports; nothing: it is not declared
  std::uint16_t number = 0;
  std::string name;  ///< empty: it has none

  bool operator==(const AppPort&) const = default;
};

/// The declared TCP ports of all containers of a pod, in the order of the text.
std::vector<AppPort> declared_ports(const Node& pod_spec);

/// In this order: `wish` (a name or number; empty: none), the target of the Services that select
/// the pod, its only port, its only port whose name says HTTP. Otherwise the error says why it is
/// not clear, or why the port cannot go through a queue-proxy (HTTP/2, TLS), and what to do.
/// `services`: those that select the pod.
Result<AppPort> choose_app_port(const Node& pod_spec, const std::vector<Service>& services,
                                const std::string& wish);

/// True if requests to this port of a Service go to `app`.
bool leads_to(const ServicePort& port, const AppPort& app);

}  // namespace bellows::injector
