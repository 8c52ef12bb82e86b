// Recognizes probes by their User-Agent or path. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/core/head.hpp"

namespace bellows::proxy {

/// Returns true for the User-Agents of Knative's and Kubernetes' own probes (knative.md 5.1):
/// kubelet, activator, autoscaler.
bool is_known_probe_agent(std::string_view user_agent);

/// Returns true for health checkers of load balancers. Sources: the documentation of Google Cloud
/// (probe systems), AWS (target groups, Route 53), Azure Front Door, Cloudflare (monitors, health
/// checks) and Envoy (HTTP health checking); Fastly's generated VCL; MicrosoftDocs/azure-docs issue
/// 72495 for HealthCheck/1.0. HAProxy and Azure Application Gateway (issue 69155) send no
/// User-Agent, Traefik that of every Go program, and DigitalOcean and Hetzner document none: those
/// are known by their path (probe-paths).
bool is_balancer_agent(std::string_view user_agent);

/// Returns true if the User-Agent sounds like that of a monitor that no table knows: it names a
/// check, a probe or the like.
bool may_be_a_monitor(std::string_view user_agent);

/// Probes of load balancers, and further ones from the settings. Immutable. Owner: the request
/// handler.
class ProbeRules {
 public:
  ProbeRules() = default;
  /// The lists are separated by commas, in the formats config::agent_list_format() and
  /// config::path_list_format().
  ProbeRules(std::string_view user_agents, std::string_view paths);

  /// Returns true if the User-Agent is that of a load balancer or begins with one of the agents, or
  /// if the path (without query) is one of the paths.
  bool matches(const http::RequestHead& head) const;

 private:
  std::vector<std::string> agents_;
  std::vector<std::string> paths_;
};

}  // namespace bellows::proxy
