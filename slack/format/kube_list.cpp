#include "slack/format/kube_list.hpp"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <utility>

#include "base/timestamp_text.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "slack/format/kube_constraints.hpp"
#include "slack/format/kube_pod.hpp"

namespace bellows::slack {

namespace {

using kubernetes::Fields;
using kubernetes::FieldSet;
using kubernetes::ObjectMeta;

/// Labels by which common clouds and autoscalers name a group, the most specific first.
constexpr std::array<std::string_view, 6> kGroupLabels = {
    "cloud.google.com/gke-nodepool",    "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",   "karpenter.sh/nodepool",
    "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"};

FieldSet item_fields() {
  FieldSet fields{"/kind",
                  "/spec/taints",
                  "/spec/unschedulable",
                  "/status/allocatable",
                  "/status/conditions/type",
                  "/status/conditions/status",
                  "/status/conditions/lastHeartbeatTime",
                  "/status/conditions/lastTransitionTime",
                  "/status/phase",
                  "/spec/template/metadata/labels",
                  "/spec/template/metadata/annotations"};
  kubernetes::keep_meta(fields);
  kube::keep_pod_spec(fields, "/spec");
  kube::keep_pod_spec(fields, "/spec/template/spec");
  return fields;
}

std::string type_of(const kubernetes::StringMap& labels, const std::string& group_label) {
  const auto or_default = [](const std::string* value) { return value ? *value : "default"; };
  if (!group_label.empty()) return or_default(labels.find(group_label));
  for (const std::string_view known : kGroupLabels) {
    if (const std::string* value = labels.find(known)) return *value;
  }
  return "default";
}

bool is_ready(const Fields& node) {
  bool ready = false;
  node.object("status").each("conditions", [&ready](const Fields& one) {
    ready = ready || (one.view("type") == "Ready" && one.view("status") == "True");
  });
  return ready;
}

std::vector<Taint> read_taints(const Fields& spec) {
  std::vector<Taint> taints;
  spec.each("taints", [&taints](const Fields& one) {
    if (kube::is_taint_of_state(one.view("key"))) return;
    taints.push_back({one.text("key"), one.text("value"), one.text("effect")});
  });
  return taints;
}

/// Taints that a node has until it can run pods: those that cluster-autoscaler knows, that of cloud
/// providers, and those of networks and drivers (Cilium, the CSI drivers of AWS, Karpenter).
bool is_startup_taint(std::string_view key) {
  return key.starts_with("startup-taint.cluster-autoscaler.kubernetes.io/") ||
         key.starts_with("ignore-taint.cluster-autoscaler.kubernetes.io/") ||
         key == "node.cloudprovider.kubernetes.io/uninitialized" ||
         key == "karpenter.sh/unregistered" || key.ends_with("/agent-not-ready");
}

/// Returns the newest time in the conditions of a node: the list was made soon after it.
WallTime newest_time(const Fields& status) {
  WallTime newest{};
  status.each("conditions", [&newest](const Fields& one) {
    for (const std::string_view member : {"lastHeartbeatTime", "lastTransitionTime"}) {
      if (const auto time = parse_timestamp(one.view(member))) newest = std::max(newest, *time);
    }
  });
  return newest;
}

/// A node may boot for so long, as in cluster-autoscaler (max-node-provision-time); then it has
/// failed, and others are ordered in its place.
constexpr Duration kLongestBoot = std::chrono::minutes(15);

/// Returns true for a node that cannot run pods yet and was created not long before `now`; without
/// times, if it has a startup taint.
bool is_booting(const NodeSpec& node, WallTime created, WallTime now) {
  const bool has_startup_taint = std::ranges::any_of(
      node.taints, [](const Taint& taint) { return is_startup_taint(taint.key); });
  const Resources& room = node.allocatable;
  const bool has_room = room.cpu_millicores > 0 && room.memory_bytes > 0 && room.pods > 0;
  if (node.is_ready && has_room && !has_startup_taint) return false;
  if (created == WallTime()) return has_startup_taint;
  return now - created <= kLongestBoot;
}

NodeSpec read_kube_node(const Fields& object, const std::string& group_label) {
  const ObjectMeta meta = kubernetes::read_meta(object);
  const Fields spec = object.object("spec");
  const Fields status = object.object("status");
  NodeSpec node;
  node.name = meta.name;
  node.labels = kube::labels_of(meta.labels);
  node.type = type_of(meta.labels, group_label);
  node.can_remove =
      meta.annotations.get("cluster-autoscaler.kubernetes.io/scale-down-disabled") != "true";
  node.taints = read_taints(spec);
  node.is_ready = is_ready(object);
  node.is_schedulable = !spec.flag("unschedulable");
  node.allocatable = kube::read_amounts(status.object("allocatable"));
  return node;
}

/// Returns the mirror for an annotated controller; nullopt without an annotation.
std::optional<MirrorEntry> read_controller(const Fields& object, const std::string& kind) {
  const ObjectMeta meta = kubernetes::read_meta(object);
  const std::string* mirror = meta.annotations.find(kMirrorAnnotation);
  const Fields spec = object.object("spec");
  if (mirror == nullptr || !spec.has("template")) return std::nullopt;
  const auto count = mirror_count(*mirror);
  if (!count) {
    const Fields metadata = object.object("metadata");
    metadata.object("annotations").invalid(kMirrorAnnotation, kMirrorValues);
  }
  const kube::Owner owner{.space = meta.ns, .kind = kind, .name = meta.name};
  return MirrorEntry{kube::shape_of(spec.object("template"), meta.name, owner), count.value_or(0)};
}

/// Returns true for pods that have ended, for those whose scheduling gates keep them from the
/// scheduler, and for pause pods of `slack plan -o deployment`.
bool needs_no_room(const Fields& pod) {
  const std::string_view phase = pod.object("status").view("phase");
  if (phase == "Succeeded" || phase == "Failed") return true;
  bool is_gated = false;
  pod.object("spec").each("schedulingGates", [&is_gated](const Fields&) { is_gated = true; });
  if (is_gated) return true;
  const Fields metadata = pod.object("metadata");
  return metadata.object("labels").has(kPlaceholderLabel);
}

bool is_controller(std::string_view kind) {
  return kind == "Deployment" || kind == "ReplicaSet" || kind == "StatefulSet" || kind == "Job";
}

std::string read_kind(const Fields& object) {
  if (!object.has("kind")) object.invalid("kind", "the kind of the object, such as Pod");
  return object.text("kind");
}

}  // namespace

KubeListReader::KubeListReader(KubeListOptions options)
    : options_(std::move(options)),
      items_(
          item_fields(), [this](const boost::json::object& item) { return take(item); },
          [this](const Error& error) {
            if (!problem_) problem_ = error;
          }) {}

Result<void> KubeListReader::feed(std::string_view chunk) {
  if (auto fed = items_.feed(chunk); !fed && !problem_) problem_ = no_list(fed.error());
  if (problem_) return fail(*problem_);
  return {};
}

Result<Snapshot> KubeListReader::finish() {
  if (problem_) return fail(*problem_);
  if (auto list = items_.finish(); !list) return fail(no_list(list.error()));
  for (std::size_t i = 0; i < created_.size(); ++i) {
    NodeSpec& node = snapshot_.nodes[i];
    node.is_booting = is_booting(node, created_[i], newest_);
    if (!node.is_booting) continue;
    std::erase_if(node.taints, [](const Taint& taint) { return is_startup_taint(taint.key); });
  }
  return std::move(snapshot_);
}

Error KubeListReader::no_list(const Error& cause) const {
  return Error(ErrorKind::kMalformed, options_.name,
               "want a list of nodes and pods, as `kubectl get nodes,pods -A -o json` prints it")
      .caused_by(cause);
}

Result<void> KubeListReader::take(const boost::json::object& item) {
  BELLOWS_TRY(const std::string kind, kubernetes::read_document(item, "object", read_kind));
  if (kind != "Node" && kind != "Pod" && !is_controller(kind)) return {};
  std::optional<Error> error;
  add(Fields(item, kind, error), kind);
  if (error) return fail(*std::move(error));
  return {};
}

void KubeListReader::add(const Fields& object, const std::string& kind) {
  if (kind == "Node") {
    snapshot_.nodes.push_back(read_kube_node(object, options_.group_label));
    created_.push_back(kubernetes::read_meta(object).created);
    newest_ = std::max({newest_, created_.back(), newest_time(object.object("status"))});
  } else if (kind == "Pod") {
    if (!needs_no_room(object)) snapshot_.pods.push_back(kube::read_pod(object));
  } else if (auto mirror = read_controller(object, kind)) {
    snapshot_.mirrors.push_back(*std::move(mirror));
  }
}

}  // namespace bellows::slack
