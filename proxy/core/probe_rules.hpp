// Which requests only ask whether somebody is there: by who asks and for what. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/core/head.hpp"

namespace bellows::proxy {

/// Knative's and Kubernetes' own probes, by their User-Agent (knative.md 5.1): kubelet, activator,
/// autoscaler.
bool is_known_probe_agent(std::string_view user_agent);

/// Further ones, as settings name them. Owner: whoever answers probes. Immutable.
class ProbeRules {
 public:
  ProbeRules() = default;
  /// Lists with commas, as config::agent_list_format() and config::path_list_format() give them.
  ProbeRules(std::string_view user_agents, std::string_view paths);

  /// The User-Agent begins with one of the agents, or the path (without query) is one of the paths.
  bool matches(const http::RequestHead& head) const;

 private:
  std::vector<std::string> agents_;
  std::vector<std::string> paths_;
};

}  // namespace bellows::proxy
