#include "cluster/kubernetes/core/service_route.hpp"

#include <algorithm>

#include "base/read_number.hpp"
#include "cluster/kubernetes/core/conditions.hpp"
#include "cluster/kubernetes/core/names.hpp"

namespace bellows::cluster {

namespace {

using kubernetes::Container;
using kubernetes::ContainerPort;
using kubernetes::Service;
using kubernetes::ServicePort;

ServiceRoute impossible(std::string_view reason, std::string message) {
  ServiceRoute route;
  route.reason = reason;
  route.message = std::move(message);
  return route;
}

/// Returns the port of `container` to which a Service's port leads; 0: none.
std::uint16_t target_in(const Container& container, const ServicePort& port) {
  const auto number = port.target_port.empty() ? std::optional(port.port)
                                               : read_number<std::uint16_t>(port.target_port);
  for (const ContainerPort& each : container.ports) {
    if (each.name == config::kAdminPortName) continue;
    if (number ? each.port == *number : each.name == port.target_port) return each.port;
  }
  return 0;
}

bool is_tcp(const ServicePort& port) {
  return port.protocol.empty() || port.protocol == "TCP";
}

std::string name_of(const Service& service, std::size_t index) {
  return "Service " + service.meta.name + ": spec.ports[" + std::to_string(index) + "]";
}

/// Returns what the user has to write as the target port.
std::string wanted_target(const Container& queue_proxy) {
  for (const ContainerPort& port : queue_proxy.ports) {
    if (port.name == config::kAdminPortName || port.name == config::kActivatorPortName) continue;
    return port.name.empty() ? std::to_string(port.port) : port.name;
  }
  return std::to_string(config::kServingPort);
}

ServiceRoute bypassed(const Service& service, const Container& queue_proxy) {
  for (std::size_t i = 0; i < service.ports.size(); ++i) {
    if (!is_tcp(service.ports[i])) continue;
    const ServicePort& port = service.ports[i];
    const std::string target =
        port.target_port.empty() ? std::to_string(port.port) : port.target_port;
    return impossible(kQueueProxyBypassed, name_of(service, i) + ".targetPort is " + target +
                                               ", which is no port of the container queue-proxy; "
                                               "change that line to " +
                                               wanted_target(queue_proxy));
  }
  return impossible(kNoTcpPort, "Service " + service.meta.name + " has no TCP port");
}

std::string notes(const Service& service, const ServicePort& port) {
  std::string text;
  if (service.session_affinity == "ClientIP") {
    text += "; sessionAffinity ClientIP does not hold while requests go through activators";
  }
  const bool has_others = std::ranges::any_of(
      service.ports, [&](const ServicePort& each) { return each.name != port.name; });
  if (has_others) text += "; at zero only port " + port.name + " has an endpoint";
  return text;
}

constexpr std::string_view kEachNode =
    "; set it to Cluster, or run an activator on each node (deploy/each-node)";

/// Returns why no activator can take requests on each node; nullopt: the Service sends them to any
/// node.
std::optional<ServiceRoute> local_policy(const Service& service) {
  const std::string name = "Service " + service.meta.name;
  if (service.internal_traffic_policy == "Local") {
    return impossible(kTrafficPolicyLocal,
                      name +
                          " has internalTrafficPolicy Local: callers on nodes without an activator "
                          "would get no response" +
                          std::string(kEachNode));
  }
  if (service.external_traffic_policy == "Local") {
    return impossible(kTrafficPolicyLocal,
                      name +
                          " has externalTrafficPolicy Local: requests from outside that arrive at "
                          "a node without an activator would be dropped" +
                          std::string(kEachNode));
  }
  return std::nullopt;
}

/// Returns why no port of this Service can lead to an activator; nullopt: one may.
std::optional<ServiceRoute> refused(const Service& service) {
  const std::string name = "Service " + service.meta.name;
  if (service.type == "ExternalName") {
    return impossible(kExternalName, name + " is an ExternalName, which has no endpoints");
  }
  if (service.cluster_ip == "None") {
    return impossible(kHeadlessService, name +
                                            " is headless: its callers connect to pods' addresses "
                                            "themselves; use a Service with a cluster IP");
  }
  return std::nullopt;
}

}  // namespace

std::vector<Container> as_injected(std::vector<Container> containers,
                                   const kubernetes::StringMap& template_labels) {
  if (template_labels.get(config::kInjectKey) != "enabled") return containers;
  std::vector<ContainerPort> ports;
  for (const Container& container : containers) {
    if (container.name == kQueueProxyContainer) return containers;
    for (const ContainerPort& port : container.ports) {
      if (port.protocol.empty() || port.protocol == "TCP") ports.push_back(port);
    }
  }
  if (ports.size() != 1) return containers;
  const std::string name =
      ports[0].name.empty() ? std::string(config::kServingPortName) : ports[0].name;
  const ContainerPort serving{.name = name, .port = config::kServingPort, .protocol = "TCP"};
  Container queue_proxy;
  queue_proxy.name = kQueueProxyContainer;
  queue_proxy.ports = {serving};
  containers.push_back(std::move(queue_proxy));
  return containers;
}

ServiceRoute route_of(const Service& service, const std::vector<Container>& containers,
                      std::optional<std::uint16_t> told_port, bool are_on_each_node) {
  if (auto no = refused(service)) return *std::move(no);
  auto local = local_policy(service);
  if (local && !are_on_each_node) return *std::move(local);
  const auto queue_proxy = std::ranges::find(containers, kQueueProxyContainer, &Container::name);
  if (queue_proxy == containers.end() && !told_port) {
    return impossible(kQueueProxyMissing,
                      "the pods have no container queue-proxy; `bellows inject` adds it");
  }
  ServiceRoute route;
  route.is_local = local.has_value();
  route.is_front =
      service.selector.empty() && service.meta.annotations.get(kFrontAnnotation) == "true";
  const auto leads_to = [&](const ServicePort& port) -> std::uint16_t {
    if (!is_tcp(port)) return 0;
    if (queue_proxy == containers.end()) return *told_port;
    return target_in(*queue_proxy, port);
  };
  const auto port = std::ranges::find_if(
      service.ports, [&](const ServicePort& each) { return leads_to(each) != 0; });
  if (port == service.ports.end()) {
    if (queue_proxy != containers.end()) return bypassed(service, *queue_proxy);
    return impossible(kNoTcpPort, "Service " + service.meta.name + " has no TCP port");
  }
  route.port = *port;
  route.target_port = leads_to(*port);
  route.message = notes(service, *port);
  return route;
}

}  // namespace bellows::cluster
