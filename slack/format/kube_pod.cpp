#include "slack/format/kube_pod.hpp"

#include <algorithm>
#include <array>

#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/quantity.hpp"
#include "slack/format/kube_constraints.hpp"

namespace bellows::slack::kube {

namespace {

using kubernetes::Fields;
using kubernetes::ObjectMeta;
using kubernetes::Quantity;

/// Labels that differ from pod to pod, or from one template of a controller to the next.
constexpr std::array<std::string_view, 8> kOwnLabels = {"pod-template-hash",
                                                        "controller-revision-hash",
                                                        "pod-template-generation",
                                                        "controller-uid",
                                                        "batch.kubernetes.io/controller-uid",
                                                        "apps.kubernetes.io/pod-index",
                                                        "batch.kubernetes.io/job-completion-index",
                                                        "statefulset.kubernetes.io/pod-name"};

bool is_own(std::string_view key) {
  return std::find(kOwnLabels.begin(), kOwnLabels.end(), key) != kOwnLabels.end();
}

/// Returns the quantity under `key`, between zero and `most`; zero if it is missing.
Quantity read_quantity(const Fields& amounts, std::string_view key, Quantity most,
                       std::string_view want) {
  if (!amounts.has(key)) return {};
  const auto quantity = Quantity::parse(amounts.view(key));
  if (quantity && *quantity >= Quantity() && *quantity <= most) return *quantity;
  amounts.invalid(key, want);
  return {};
}

/// Returns the requests of a container; a limit is the request where that is missing. Amounts other
/// than CPU and memory, such as nvidia.com/gpu, are not counted, so the shape has no guarantee.
Resources container_requests(const Fields& container, Shape& shape) {
  const Fields resources = container.object("resources");
  for (const std::string_view member : {"requests", "limits"}) {
    for (const auto& [name, amount] : resources.map(member)) {
      if (name.find('/') != std::string::npos && shape.unchecked.empty())
        shape.unchecked = "request of " + name;
    }
  }
  Resources amounts = read_amounts(resources.object("requests"));
  const Resources limits = read_amounts(resources.object("limits"));
  const Fields requests = resources.object("requests");
  if (!requests.has("cpu")) amounts.cpu_millicores = limits.cpu_millicores;
  if (!requests.has("memory")) amounts.memory_bytes = limits.memory_bytes;
  return amounts;
}

/// Returns what the pod itself requests, which is in the place of what its containers request
/// (KEP-2837). A limit of the pod is its request if no container requests any.
Resources with_pod_level(const Fields& resources, Resources of_containers) {
  const Resources requests = read_amounts(resources.object("requests"));
  const Resources limits = read_amounts(resources.object("limits"));
  const auto chosen = [&](std::string_view name, std::int64_t request, std::int64_t limit,
                          std::int64_t sum) {
    if (resources.object("requests").has(name)) return request;
    return sum == 0 ? limit : sum;
  };
  of_containers.cpu_millicores =
      chosen("cpu", requests.cpu_millicores, limits.cpu_millicores, of_containers.cpu_millicores);
  of_containers.memory_bytes =
      chosen("memory", requests.memory_bytes, limits.memory_bytes, of_containers.memory_bytes);
  return of_containers;
}

/// Returns the requests as the scheduler counts them: the sum of the containers and sidecars, or
/// the largest init container with the sidecars before it, plus the overhead of the runtime.
Resources pod_requests(const Fields& spec, Shape& shape) {
  Resources sum;
  Resources sidecars;
  Resources largest;
  spec.each("initContainers", [&](const Fields& one) {
    const Resources requests = container_requests(one, shape);
    const bool is_sidecar = one.view("restartPolicy") == "Always";
    if (is_sidecar) sidecars += requests;
    largest = max_of(largest, is_sidecar ? sidecars : sidecars + requests);
  });
  spec.each("containers", [&](const Fields& one) { sum += container_requests(one, shape); });
  Resources all = with_pod_level(spec.object("resources"), max_of(sum + sidecars, largest));
  all += read_amounts(spec.object("overhead"));
  all.pods = 1;
  return all;
}

Owner owner_of(const ObjectMeta& meta) {
  Owner owner{.space = meta.ns};
  const kubernetes::OwnerReference* controller = meta.controller();
  if (controller == nullptr) return owner;
  owner.kind = controller->kind;
  owner.name = controller->name;
  // A ReplicaSet of a Deployment has the Deployment's name and the hash of the template.
  const std::string* hash = meta.labels.find("pod-template-hash");
  if (owner.kind == "ReplicaSet" && hash != nullptr && owner.name.ends_with("-" + *hash)) {
    owner.kind = "Deployment";
    owner.name.resize(owner.name.size() - hash->size() - 1);
  }
  return owner;
}

void read_annotations(const Fields& annotations, Shape& shape) {
  if (annotations.has(kMirrorAnnotation)) {
    const auto count = mirror_count(annotations.view(kMirrorAnnotation));
    if (!count) annotations.invalid(kMirrorAnnotation, kMirrorValues);
    shape.mirrors = count.value_or(0);
  }
  if (annotations.has(kExemptAnnotation)) {
    const auto flag = exempt_flag(annotations.view(kExemptAnnotation));
    if (!flag) annotations.invalid(kExemptAnnotation, kExemptValues);
    shape.is_exempt = flag.value_or(false);
  }
  if (annotations.view("cluster-autoscaler.kubernetes.io/safe-to-evict") == "false")
    shape.can_move = false;
}

}  // namespace

Labels labels_of(const kubernetes::StringMap& map) {
  return {map.begin(), map.end()};
}

Resources read_amounts(const Fields& amounts) {
  const Quantity cpu = read_quantity(amounts, "cpu", Quantity::from_milli(kMaxMillicores),
                                     "a quantity from 0 to 1M, such as 500m");
  const Quantity memory = read_quantity(amounts, "memory", Quantity::from_units(kMaxMemoryBytes),
                                        "a quantity from 0 to 64Ti, such as 2Gi");
  const Quantity pods = read_quantity(amounts, "pods", Quantity::from_units(kMaxPods),
                                      "a quantity from 0 to 100k, such as 110");
  return {cpu.milli(), memory.units(), pods.units()};
}

Shape shape_of(const Fields& pod, const std::string& object, const Owner& owner) {
  Shape shape;
  shape.space = owner.space;
  // A mirror pod of the kubelet belongs to its node as a daemon does.
  shape.is_daemon = owner.kind == "DaemonSet" || owner.kind == "Node";
  shape.can_move = !owner.kind.empty();
  shape.name = owner.kind.empty() ? object : owner.space + "/" + owner.kind + "/" + owner.name;
  const Fields metadata = pod.object("metadata");
  shape.labels = labels_of(metadata.map("labels"));
  std::erase_if(shape.labels, [](const auto& label) { return is_own(label.first); });
  read_annotations(metadata.object("annotations"), shape);
  const Fields spec = pod.object("spec");
  shape.requests = pod_requests(spec, shape);
  if (!shape.is_daemon) read_constraints(spec, is_own, shape);
  return shape;
}

PodEntry read_pod(const Fields& pod) {
  const ObjectMeta meta = kubernetes::read_meta(pod);
  PodEntry entry;
  entry.name = kubernetes::object_key(meta);
  entry.node = pod.object("spec").text("nodeName");
  entry.shape = shape_of(pod, entry.name, owner_of(meta));
  return entry;
}

void keep_pod_spec(kubernetes::FieldSet& fields, std::string_view path) {
  for (const std::string_view member :
       {"/nodeName", "/nodeSelector", "/affinity", "/tolerations", "/overhead",
        "/topologySpreadConstraints/whenUnsatisfiable", "/volumes/persistentVolumeClaim",
        "/initContainers/resources/requests", "/initContainers/resources/limits",
        "/initContainers/restartPolicy", "/containers/resources/requests",
        "/containers/resources/limits", "/containers/ports/hostPort", "/resources/requests",
        "/resources/limits", "/schedulingGates/name"}) {
    fields.keep(std::string(path).append(member));
  }
}

}  // namespace bellows::slack::kube
