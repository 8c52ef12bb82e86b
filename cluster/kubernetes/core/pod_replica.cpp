#include "cluster/kubernetes/core/pod_replica.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/duration_text.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "cluster/kubernetes/core/pod_usage.hpp"
#include "cluster/kubernetes/core/revision_object.hpp"

namespace bellows::cluster {

namespace {

using kubernetes::ContainerStatus;
using kubernetes::Pod;

/// Reasons of a waiting container that does not start by itself soon. Others, such as
/// ContainerCreating, lead to a running container.
constexpr std::array<std::string_view, 10> kFailures = {
    "CrashLoopBackOff",     "ImagePullBackOff",           "ErrImagePull",
    "InvalidImageName",     "ErrImageNeverPull",          "RegistryUnavailable",
    "CreateContainerError", "CreateContainerConfigError", "RunContainerError",
    "PostStartHookError"};

/// The kubelet restarts a container at once after its first end, so fewer restarts are no failure.
constexpr int kFailedRestarts = 2;

std::string termination_text(const kubernetes::Termination& end) {
  std::string text = "it ended with code " + std::to_string(end.exit_code);
  if (end.signal != 0) text = "it ended by signal " + std::to_string(end.signal);
  if (!end.reason.empty() && end.reason != "Error") text += " (" + end.reason + ")";
  return text;
}

/// Returns "container app: CrashLoopBackOff: back-off 10s ...; it ended with code 1"; empty: no
/// failure.
std::string failure_of(const ContainerStatus& status) {
  const std::string name = "container " + status.name + ": ";
  if (status.waiting && std::ranges::find(kFailures, status.waiting->reason) != kFailures.end()) {
    std::string text = name + status.waiting->reason;
    if (!status.waiting->message.empty()) text += ": " + status.waiting->message;
    if (status.last_termination) text += "; " + termination_text(*status.last_termination);
    return text;
  }
  const bool is_repeated = status.restart_count >= kFailedRestarts;
  if (status.terminated && status.terminated->exit_code != 0 && is_repeated) {
    return name + termination_text(*status.terminated);
  }
  return {};
}

std::string container_failure(const Pod& pod) {
  for (const auto* statuses : {&pod.init_container_statuses, &pod.container_statuses}) {
    for (const ContainerStatus& status : *statuses) {
      std::string failure = failure_of(status);
      if (!failure.empty()) return failure;
    }
  }
  return {};
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::uint16_t port_of(const Pod& pod, std::optional<std::uint16_t> port) {
  if (port) return *port;
  for (const kubernetes::Container& container : pod.containers) {
    if (container.name != kQueueProxyContainer) continue;
    for (const kubernetes::ContainerPort& each : container.ports) {
      if (each.name == config::kActivatorPortName) return each.port;
    }
  }
  return config::kServingPort;
}

bool is_app(const ContainerStatus& status) {
  return status.name != kQueueProxyContainer;
}

bool is_queue_proxy_restarted(const Pod& pod) {
  const auto is_it = [](const ContainerStatus& status) {
    return !is_app(status) && status.restart_count > 0;
  };
  return std::ranges::any_of(pod.container_statuses, is_it) ||
         std::ranges::any_of(pod.init_container_statuses, is_it);  // a native sidecar
}

TimePoint on_our_clock(WallTime at, const Clocks& clocks) {
  return clocks.now - (clocks.wall - at);
}

/// The API's times are whole seconds, rounded down, so they may seem to be in another order. A pod
/// whose queue-proxy was restarted has been ready before, at an unknown time.
StartTimes start_of(const Pod& pod, const Clocks& clocks) {
  StartTimes start;
  start.ordered = on_our_clock(pod.meta.created, clocks);
  for (const ContainerStatus& status : pod.container_statuses) {
    if (!is_app(status) || !status.running_since) continue;
    const TimePoint running = std::max(on_our_clock(*status.running_since, clocks), start.ordered);
    start.process_started = std::max(start.process_started.value_or(running), running);
  }
  const kubernetes::Condition* ready = pod.condition("Ready");
  if (ready != nullptr && pod.is_ready() && !is_queue_proxy_restarted(pod)) {
    start.ready = std::max(on_our_clock(ready->last_transition, clocks),
                           start.process_started.value_or(start.ordered));
  }
  return start;
}

/// Since when a pod that is not ready has to become so: its creation, or the last time that it was
/// ready.
TimePoint not_ready_since(const Pod& pod, TimePoint ordered, const Clocks& clocks) {
  const kubernetes::Condition* ready = pod.condition("Ready");
  return ready == nullptr ? ordered
                          : std::max(ordered, on_our_clock(ready->last_transition, clocks));
}

struct PhaseAndFailure {
  ReplicaPhase phase;
  std::string failure;
};

PhaseAndFailure phase_of(const Pod& pod) {
  using kubernetes::PodPhase;
  if (pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed) {
    return {ReplicaPhase::kGone, {}};
  }
  if (pod.meta.deleted) return {ReplicaPhase::kDraining, {}};
  if (pod.is_ready()) return {ReplicaPhase::kReady, {}};
  std::string failure = container_failure(pod);
  if (!failure.empty()) return {ReplicaPhase::kFailed, std::move(failure)};
  const bool is_running = std::ranges::any_of(
      pod.container_statuses,
      [](const ContainerStatus& status) { return status.running_since.has_value(); });
  if (is_running) return {ReplicaPhase::kStarting, {}};
  const kubernetes::Condition* scheduled = pod.condition("PodScheduled");
  if (pod.node_name.empty() && scheduled != nullptr &&
      scheduled->status == kubernetes::ConditionStatus::kFalse) {
    return {ReplicaPhase::kPending, "not scheduled: " + scheduled->message};
  }
  return {ReplicaPhase::kPending, {}};
}

int app_restarts(const Pod& pod) {
  int restarts = 0;
  for (const ContainerStatus& status : pod.container_statuses) {
    if (is_app(status)) restarts += status.restart_count;
  }
  return restarts;
}

}  // namespace

PodReplica replica_of(const Pod& pod, std::optional<std::uint16_t> port, Duration progress_deadline,
                      const Clocks& clocks) {
  PodReplica made;
  Replica& replica = made.replica;
  replica.name = PodName(pod.meta.name);
  replica.uid = pod.meta.uid;
  auto [phase, failure] = phase_of(pod);
  replica.start = start_of(pod, clocks);
  replica.restarts = app_restarts(pod);
  replica.size = requests_of(pod);
  if (!pod.pod_ip.empty()) {
    replica.address = Endpoint{.host = pod.pod_ip, .port = port_of(pod, port), .unix_path = {}};
  }
  if (phase == ReplicaPhase::kPending || phase == ReplicaPhase::kStarting) {
    const TimePoint deadline =
        not_ready_since(pod, replica.start.ordered, clocks) + progress_deadline;
    if (clocks.now < deadline) {
      made.deadline = deadline;
    } else {
      phase = ReplicaPhase::kFailed;
      if (failure.empty()) failure = "not ready within " + duration_text(progress_deadline);
    }
  }
  replica.phase = phase;
  if (!failure.empty()) replica.failure_message = one_line("pod " + pod.meta.name + ": " + failure);
  return made;
}

std::string owner_key(const Pod& pod) {
  const kubernetes::OwnerReference* owner = pod.meta.controller();
  if (owner == nullptr || !owner->api_version.starts_with("apps/")) return {};
  if (owner->kind == "StatefulSet") {
    return target_key(pod.meta.ns, {.kind = "StatefulSet", .name = owner->name});
  }
  const std::string hash = "-" + std::string(pod.meta.labels.get("pod-template-hash"));
  if (owner->kind != "ReplicaSet" || hash.size() == 1 || !owner->name.ends_with(hash)) return {};
  return target_key(pod.meta.ns, {.name = owner->name.substr(0, owner->name.size() - hash.size())});
}

}  // namespace bellows::cluster
