#include "injector/core/plan.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/duration_text.hpp"
#include "injector/core/evidence.hpp"
#include "injector/core/names.hpp"
#include "injector/core/probes.hpp"
#include "injector/core/settings.hpp"

namespace bellows::injector {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxLabel = 63;

Result<void> check_volumes(const Node& pod) {
  const Node* const volumes = pod.at("spec/volumes");
  if (volumes == nullptr) return {};
  for (const Node& volume : volumes->items) {
    if (volume.text_at("name") != kTokenVolume) continue;
    return fail(
        refused("volume " + std::string(kTokenVolume), "is there, and not by `bellows inject`"));
  }
  return {};
}

Result<void> check_pod(const Node& pod) {
  const Node* const containers = pod.at("spec/containers");
  if (containers == nullptr || !containers->is_sequence() || containers->items.empty()) {
    return fail(refused("spec.containers", "want at least one container"));
  }
  const Node* const labels = pod.at("metadata/labels");
  if (labels != nullptr && labels->find(kRevisionLabel) != nullptr) {
    return fail(
        refused("label " + std::string(kRevisionLabel), "is there, and not by `bellows inject`"));
  }
  for (const char* list : {"spec/containers", "spec/initContainers"}) {
    const Node* const items = pod.at(list);
    if (items != nullptr && !std::ranges::all_of(items->items, &Node::is_map)) {
      return fail(refused(list, "want containers with a name"));
    }
  }
  if (has_queue_proxy(pod)) {
    return fail(refused("container queue-proxy", "is there, and not by `bellows inject`"));
  }
  return {};
}

std::set<std::int64_t> taken_ports(const Node& spec) {
  std::set<std::int64_t> taken;
  for (const char* list : {"containers", "initContainers"}) {
    const Node* const containers = spec.find(list);
    if (containers == nullptr) continue;
    for (const Node& container : containers->items) {
      const Node* const ports = container.find("ports");
      if (ports == nullptr) continue;
      for (const Node& port : ports->items) {
        const Node* const number = port.find("containerPort");
        if (number != nullptr) taken.insert(whole_number(*number, kMaxPort).value_or(0));
      }
    }
  }
  return taken;
}

/// `wanted`, or where a container has that, the same in the next ten thousands.
std::uint16_t free_port(std::int64_t wanted, const std::set<std::int64_t>& taken) {
  constexpr std::int64_t kStep = 10'000;
  while (taken.contains(wanted) && wanted + kStep <= kMaxPort) wanted += kStep;
  return static_cast<std::uint16_t>(wanted);
}

/// A container has each name of a port once, and the queue-proxy has these besides the app's.
Result<void> check_port_name(const AppPort& app) {
  if (app.name != kActivatorPortName && app.name != kAdminPortName) return {};
  return fail(
      refused("port " + app.name, "is the name of a port of the queue-proxy: want another"));
}

void plan_ports(const Node& spec, const Node& container, Plan& plan) {
  std::set<std::int64_t> taken = taken_ports(spec);
  taken.insert(plan.app.number);
  plan.settings.user_port = plan.app.number;
  plan.settings.serving_port = free_port(kServingPort, taken);
  plan.settings.activator_port = free_port(kActivatorPort, taken);
  plan.settings.admin_port = free_port(kAdminPort, taken);
  plan.settings.drain_port = free_port(kDrainPort, taken);
  plan.port_name = plan.app.name.empty() ? std::string(kServingPortName) : plan.app.name;
  if (plan.app.name.empty()) return;
  plan.user_port_name = kUserPortName;
  const auto has_name = [&](const Node& port) {
    return port.text_at("name") == plan.user_port_name;
  };
  for (int next = 2; std::ranges::any_of(container.find("ports")->items, has_name); ++next) {
    plan.user_port_name = std::string(kUserPortName) + "-" + std::to_string(next);
  }
}

/// The app needs time to end after its last request: a sixth of the grace period, 1 to 5 s.
Duration time_for_the_app(std::chrono::seconds grace) {
  return std::min(grace, std::clamp(grace / 6, 1s, 5s));
}

void plan_drain(const Node& spec, Plan& plan) {
  constexpr std::int64_t kDay = 86'400;
  const Node* const written = spec.find("terminationGracePeriodSeconds");
  const auto number = written == nullptr ? std::nullopt : whole_number(*written, 10 * kDay);
  const std::chrono::seconds grace(std::min(number.value_or(30), kDay));
  constexpr Duration kQuietTime = 4s;
  constexpr std::chrono::seconds kShortGrace = 10s;
  const Duration fits = grace - time_for_the_app(grace);
  const Duration wanted = plan.settings.drain_timeout.value_or(fits);
  if (wanted > fits) {
    plan.warnings.push_back(
        "drain-timeout " + duration_text(wanted) + " becomes " + duration_text(fits) +
        ": the pod is killed at its " + "terminationGracePeriodSeconds, " +
        std::to_string(grace.count()) + "; want " +
        std::to_string(std::chrono::ceil<std::chrono::seconds>(wanted).count() + 5) + " there");
  }
  plan.settings.drain_timeout = std::min(wanted, fits);
  plan.settings.drain_quiet_time = std::min<Duration>(kQuietTime, *plan.settings.drain_timeout);
  if (grace < kShortGrace) {
    plan.warnings.push_back("terminationGracePeriodSeconds " + std::to_string(grace.count()) +
                            " leaves " + duration_text(fits) +
                            " to finish requests; with 30 none is cut that takes less than 25s");
  }
}

void plan_hook(const Node& container, Plan& plan) {
  const Node* const own = container.at("lifecycle/preStop");
  plan.adds_hook = own == nullptr || own->kind == Node::Kind::kNull;
  if (plan.adds_hook) return;
  plan.warnings.push_back(
      "container " + plan.container +
      " keeps its preStop hook, and gets SIGTERM after it: let it take longer than its "
      "last requests, or call http://127.0.0.1:" +
      std::to_string(*plan.settings.drain_port) + "/drain at its end");
}

/// One queue-proxy takes one port.
void note_other_ports(const Node& spec, const std::vector<Service>& services, Plan& plan) {
  for (const AppPort& other : declared_ports(spec)) {
    if (other == plan.app || is_for_management(other, services)) continue;
    if (!is_http(evidence_of(other, spec, services).protocol)) continue;
    plan.warnings.push_back("port " + std::to_string(other.number) +
                            (other.name.empty() ? "" : " (" + other.name + ")") +
                            " speaks HTTP too: its requests bypass the queue-proxy and are not "
                            "counted");
  }
}

void note_others(const Node& spec, const Node& container, Plan& plan) {
  const std::size_t others = spec.find("containers")->items.size() - 1;
  if (others > 0) {
    plan.notes.push_back(std::to_string(others) +
                         " other container(s) get SIGTERM at once, as before: if the app needs "
                         "one until its last request, give that a preStop hook too");
  }
  if (!plan.app.index) return;
  const Node& port = container.find("ports")->items[*plan.app.index];
  if (port.find("hostPort") != nullptr) {
    plan.warnings.push_back("hostPort " + port.text_at("hostPort") +
                            " bypasses the queue-proxy: its requests are not counted");
  }
}

}  // namespace

Error refused(std::string culprit, std::string why) {
  return {ErrorKind::kUnsupported, std::move(culprit), std::move(why)};
}

Result<Plan> plan_for(const Resource& workload, const std::vector<Service>& services,
                      const InjectOptions& options, const std::string& earlier_port) {
  const Node& pod = *pod_of(workload);
  if (workload.name.empty() || workload.name.size() > kMaxLabel) {
    return fail(refused("metadata.name", "want 1 to 63 characters: it becomes a label"));
  }
  BELLOWS_CHECKED(check_pod(pod));
  BELLOWS_CHECKED(check_volumes(pod));
  const Node& spec = *pod.find("spec");
  const std::string annotated = annotation_of(workload, kPortAnnotation);
  Plan plan;
  auto app = choose_app_port(spec, services, options.port.empty() ? annotated : options.port);
  const bool is_left_out = !app && app.error().kind() == ErrorKind::kNotFound;
  if (is_left_out && !earlier_port.empty()) app = choose_app_port(spec, services, earlier_port);
  BELLOWS_TRY(plan.app, app);
  BELLOWS_CHECKED(check_port_name(plan.app));
  const Node& container = spec.find("containers")->items[plan.app.container];
  plan.container = container.text_at("name");
  BELLOWS_CHECKED(read_settings(workload, plan.settings));
  plan.warnings = wrong_annotations(workload);
  BELLOWS_TRY(plan.resources,
              sidecar_resources(workload, options.resources, plan.settings.queue_bytes));
  plan.settings.log.format = config::LogFormat::kJson;
  plan.settings.revision = RevisionId("$(SERVING_NAMESPACE)/" + workload.name);
  if (!options.autoscaler.empty()) {
    BELLOWS_TRY(plan.settings.autoscaler, config::parse_websocket_url(options.autoscaler));
    plan.settings.stats_token_file = std::string(kTokenFolder) + "/" + std::string(kTokenFile);
  }
  plan_ports(spec, container, plan);
  plan_drain(spec, plan);
  plan_probes(container, plan);
  plan_hook(container, plan);
  note_other_ports(spec, services, plan);
  note_others(spec, container, plan);
  return plan;
}

}  // namespace bellows::injector
