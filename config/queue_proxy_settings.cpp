#include "config/queue_proxy_settings.hpp"

#include <algorithm>
#include <vector>

#include "config/time_limit_rules.hpp"

namespace bellows::config {

namespace {

using namespace std::chrono_literals;
using Proxies = Schema<QueueProxySettings>;

bool have_different_ports(const QueueProxySettings& s) {
  std::vector<std::uint16_t> ports = {s.serving_port, s.admin_port, s.activator_port.value_or(0),
                                      s.drain_port.value_or(0)};
  std::erase(ports, 0);
  std::ranges::sort(ports);
  return std::ranges::adjacent_find(ports) == ports.end();
}

void add_rules(Proxies& schema) {
  add_time_limit_rules(schema);
  schema.add_rule({{"queue-serving-port", "admin-port", "activator-port", "drain-port"},
                   have_different_ports,
                   "different ports, or 0"});
  schema.add_rule(
      {{"behind-activator", "activator-port"},
       [](const QueueProxySettings& s) { return !s.behind_activator || !s.activator_port; },
       "one of the two"});
  schema.add_rule({{"liveness-probe", "notify-fd"},
                   [](const QueueProxySettings& s) { return !s.liveness || s.notify_fd >= 0; },
                   "a notify-fd, whose reader restarts the app; in a pod set the livenessProbe of "
                   "the app's container instead"});
  schema.add_rule({{"autoscaler", "revision", "pod"},
                   [](const QueueProxySettings& s) {
                     return s.autoscaler.empty() || (!s.revision.empty() && !s.pod.empty());
                   },
                   "revision and pod, because stats name both"});
}

}  // namespace

std::int64_t QueueProxySettings::waiting_limit() const {
  return queue_depth.value_or(std::int64_t{10} * container_concurrency);
}

Duration QueueProxySettings::starting_probe_interval() const {
  const bool is_here =
      user_host == "localhost" || user_host == "::1" || user_host.starts_with("127.");
  return is_here ? 5ms : 25ms;
}

const Schema<QueueProxySettings>& queue_proxy_schema() {
  static const Proxies schema = [] {
    auto declared = Proxies::of(Program::kQueueProxy);
    declared.include(&QueueProxySettings::server, schema_of<ServerSettings>());
    declared.include(&QueueProxySettings::log, schema_of<LogSettings>());
    declared.include(&QueueProxySettings::access_log, schema_of<AccessLogSettings>());
    declared.include(&QueueProxySettings::trace, schema_of<TraceSettings>());
    add_rules(declared);
    return declared;
  }();
  return schema;
}

}  // namespace bellows::config
