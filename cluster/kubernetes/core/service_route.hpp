// Decides if activators can join the path of a Service, and at which of its ports. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/core/container.hpp"
#include "kubernetes/core/service.hpp"

namespace bellows::cluster {

/// Reasons of the condition Routed that follow from the Service and the pods' template.
inline constexpr std::string_view kExternalName = "ExternalName";
inline constexpr std::string_view kHeadlessService = "HeadlessService";
inline constexpr std::string_view kTrafficPolicyLocal = "TrafficPolicyLocal";
inline constexpr std::string_view kQueueProxyBypassed = "QueueProxyBypassed";
inline constexpr std::string_view kNoTcpPort = "NoTcpPort";

struct ServiceRoute {
  std::string reason;             ///< why activators cannot join; empty: they can
  std::string message;            ///< of that, or information about a path that works
  kubernetes::ServicePort port;   ///< whose requests they take
  std::uint16_t target_port = 0;  ///< of the queue-proxy
  bool is_front = false;          ///< Bellows alone fills the Service
  bool is_local = false;  ///< a node uses its own endpoints alone, so all activators have to join

  bool is_possible() const { return reason.empty(); }
};

/// Returns the containers of the pods of a template, whose label may have them injected as they are
/// made: then with a queue-proxy that takes the name of the app's port. Only where the template
/// declares one TCP port; which of several it takes is not known here.
std::vector<kubernetes::Container> as_injected(std::vector<kubernetes::Container> containers,
                                               const kubernetes::StringMap& template_labels);

/// `containers`: of the pods' template, sidecars included. `told_port`: the pods' port for requests
/// that a user has set; then the template need not have a container queue-proxy.
/// `are_on_each_node`: of activators; else none can join a Service with the traffic policy Local.
ServiceRoute route_of(const kubernetes::Service& service,
                      const std::vector<kubernetes::Container>& containers,
                      std::optional<std::uint16_t> told_port, bool are_on_each_node = false);

}  // namespace bellows::cluster
