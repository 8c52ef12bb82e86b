#include "proxy/core/probe_rules.hpp"

#include <algorithm>

namespace bellows::proxy {
namespace {

std::vector<std::string> parts(std::string_view list) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string> found;
  while (!list.empty()) {
    const std::size_t end = list.find(kBetween);
    found.emplace_back(list.substr(0, end));
    if (end == std::string_view::npos) break;
    list.remove_prefix(end + kBetween.size());
  }
  return found;
}

}  // namespace

bool is_known_probe_agent(std::string_view user_agent) {
  return user_agent.starts_with("kube-probe/") ||
         user_agent.starts_with("Knative-Activator-Probe") ||
         user_agent.starts_with("Knative-Autoscaling-Probe");
}

ProbeRules::ProbeRules(std::string_view user_agents, std::string_view paths)
    : agents_(parts(user_agents)), paths_(parts(paths)) {}

bool ProbeRules::matches(const http::RequestHead& head) const {
  if (std::find(paths_.begin(), paths_.end(), head.path) != paths_.end()) return true;
  if (agents_.empty()) return false;
  const auto agent = head.fields.find(http::FieldId::kUserAgent);
  return agent && std::any_of(agents_.begin(), agents_.end(), [&](const std::string& beginning) {
           return agent->starts_with(beginning);
         });
}

}  // namespace bellows::proxy
