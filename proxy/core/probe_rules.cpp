#include "proxy/core/probe_rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace bellows::proxy {
namespace {

constexpr std::array<std::string_view, 11> kBalancerAgents = {
    "GoogleHC/",                                             // Google Cloud
    "ELB-HealthChecker/",                                    // AWS load balancers
    "Amazon-Route53-Health-Check-Service",                   // AWS DNS
    "Edge Health Probe",                                     // Azure Front Door
    "Azure Traffic Manager Endpoint Monitor",                // Azure DNS
    "HealthCheck/1.0",                                       // Azure App Service
    "Mozilla/5.0 (compatible; Cloudflare-Traffic-Manager/",  // Cloudflare Load Balancing
    "Mozilla/5.0 (compatible; Cloudflare-Healthchecks",      // Cloudflare Health Checks
    "Mozilla/5.0 (compatible;Cloudflare-Healthchecks",       // the same, as it is seen in logs
    "Varnish/fastly (healthcheck)",                          // Fastly
    "Envoy/HC",                                              // Envoy, and what is made of it
};
constexpr std::array<std::string_view, 6> kMonitorWords = {"health",  "check",  "probe",
                                                           "monitor", "uptime", "pingdom"};

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

bool is_balancer_agent(std::string_view user_agent) {
  return std::ranges::any_of(kBalancerAgents, [&](std::string_view beginning) {
    return user_agent.starts_with(beginning);
  });
}

bool may_be_a_monitor(std::string_view user_agent) {
  const auto is_same = [](char letter, char lower) {
    return std::tolower(static_cast<unsigned char>(letter)) == lower;
  };
  return std::ranges::any_of(kMonitorWords, [&](std::string_view word) {
    return std::search(user_agent.begin(), user_agent.end(), word.begin(), word.end(), is_same) !=
           user_agent.end();
  });
}

ProbeRules::ProbeRules(std::string_view user_agents, std::string_view paths)
    : agents_(parts(user_agents)), paths_(parts(paths)) {}

bool ProbeRules::matches(const http::RequestHead& head) const {
  if (std::find(paths_.begin(), paths_.end(), head.path) != paths_.end()) return true;
  const auto agent = head.fields.find(http::FieldId::kUserAgent);
  if (!agent) return false;
  return is_balancer_agent(*agent) ||
         std::any_of(agents_.begin(), agents_.end(),
                     [&](const std::string& beginning) { return agent->starts_with(beginning); });
}

}  // namespace bellows::proxy
