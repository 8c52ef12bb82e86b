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

/// Further probes from the settings. Immutable. Owner: the request handler.
class ProbeRules {
 public:
  ProbeRules() = default;
  /// The lists are separated by commas, in the formats config::agent_list_format() and
  /// config::path_list_format().
  ProbeRules(std::string_view user_agents, std::string_view paths);

  /// Returns true if the User-Agent begins with one of the agents, or if the path (without query)
  /// is one of the paths.
  bool matches(const http::RequestHead& head) const;

 private:
  std::vector<std::string> agents_;
  std::vector<std::string> paths_;
};

}  // namespace bellows::proxy
