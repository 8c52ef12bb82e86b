#include "kubernetes/core/pod.hpp"

#include <utility>

#include "base/printable_text.hpp"
#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/shared_parts.hpp"

namespace bellows::kubernetes {

namespace {

FieldSet pod_fields() {
  FieldSet fields{"/spec/nodeName",
                  "/spec/terminationGracePeriodSeconds",
                  "/status/phase",
                  "/status/reason",
                  "/status/message",
                  "/status/podIP",
                  "/status/startTime",
                  "/status/conditions/type",
                  "/status/conditions/status",
                  "/status/conditions/reason",
                  "/status/conditions/message",
                  "/status/conditions/lastTransitionTime"};
  keep_pod_meta(fields);
  keep_pod_containers(fields, "/spec");
  for (const std::string list : {"/status/containerStatuses", "/status/initContainerStatuses"}) {
    for (const char* const member : {"/name", "/ready", "/started", "/restartCount",
                                     "/state/running/startedAt", "/state/waiting"}) {
      fields.keep(list + member);
    }
    for (const char* const state : {"/state/terminated", "/lastState/terminated"}) {
      for (const char* const member :
           {"/exitCode", "/signal", "/reason", "/message", "/finishedAt"}) {
        fields.keep(list + state + member);
      }
    }
  }
  return fields;
}

PodPhase phase_of(std::string_view text) {
  if (text == "Pending") return PodPhase::kPending;
  if (text == "Running") return PodPhase::kRunning;
  if (text == "Succeeded") return PodPhase::kSucceeded;
  return text == "Failed" ? PodPhase::kFailed : PodPhase::kUnknown;
}

/// Returns the message, which the app may have written, without what a terminal interprets.
std::string read_message(const Fields& from) {
  return printable(from.view("message"));
}

std::optional<Termination> read_termination(const Fields& state) {
  if (!state.has("terminated")) return std::nullopt;
  const Fields from = state.object("terminated");
  return Termination{.exit_code = from.int32("exitCode"),
                     .signal = from.int32("signal"),
                     .reason = from.text("reason"),
                     .message = read_message(from),
                     .finished = from.time("finishedAt")};
}

ContainerStatus read_container_status(const Fields& from) {
  ContainerStatus status;
  status.name = from.text("name");
  status.ready = from.flag("ready");
  status.started = from.flag("started");
  status.restart_count = from.int32("restartCount");
  const Fields state = from.object("state");
  status.running_since = state.object("running").time("startedAt");
  if (state.has("waiting")) {
    const Fields waiting = state.object("waiting");
    status.waiting = Waiting{.reason = waiting.text("reason"), .message = read_message(waiting)};
  }
  status.terminated = read_termination(state);
  status.last_termination = read_termination(from.object("lastState"));
  return status;
}

std::vector<ContainerStatus> read_container_statuses(const Fields& status, std::string_view key) {
  std::vector<ContainerStatus> statuses;
  status.each(key,
              [&statuses](const Fields& from) { statuses.push_back(read_container_status(from)); });
  statuses.shrink_to_fit();
  return statuses;
}

std::vector<Condition> read_pod_conditions(const Fields& status) {
  std::vector<Condition> conditions;
  conditions.reserve(3);
  status.each("conditions", [&conditions](const Fields& from) {
    const std::string_view type = from.view("type");
    if (type == "Ready" || type == "PodScheduled" || type == "ContainersReady") {
      conditions.push_back(read_condition(from));
    }
  });
  conditions.shrink_to_fit();
  return conditions;
}

Pod read_pod(const Fields& object) {
  Pod pod;
  pod.meta = read_meta(object);
  const Fields spec = object.object("spec");
  pod.node_name = spec.text("nodeName");
  pod.containers = SharedList(read_pod_containers(spec));
  if (spec.has("terminationGracePeriodSeconds")) {
    pod.termination_grace_seconds = spec.integer("terminationGracePeriodSeconds");
  }
  const Fields status = object.object("status");
  pod.phase = phase_of(status.view("phase"));
  pod.reason = status.text("reason");
  pod.message = read_message(status);
  pod.pod_ip = status.text("podIP");
  pod.started = status.time("startTime");
  pod.conditions = read_pod_conditions(status);
  pod.container_statuses = read_container_statuses(status, "containerStatuses");
  pod.init_container_statuses = read_container_statuses(status, "initContainerStatuses");
  return pod;
}

}  // namespace

bool Pod::is_ready() const {
  const Condition* ready = condition("Ready");
  return ready != nullptr && ready->status == ConditionStatus::kTrue;
}

void Pod::share_with(SharedParts& parts) {
  parts.share(meta);
  containers = parts.containers.share(containers);
}

const FieldSet& Pod::fields() {
  static const FieldSet kFields = pod_fields();
  return kFields;
}

Result<Pod> Pod::from(const boost::json::object& pruned) {
  return read_document(pruned, "Pod", read_pod);
}

}  // namespace bellows::kubernetes
