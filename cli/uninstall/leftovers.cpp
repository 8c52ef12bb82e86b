#include "cli/uninstall/leftovers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cluster/kubernetes/core/names.hpp"
#include "cluster/kubernetes/core/path_slice.hpp"
#include "cluster/kubernetes/core/service_slices.hpp"
#include "kubernetes/core/bare_object.hpp"
#include "kubernetes/core/item_reader.hpp"

namespace bellows::cli {

namespace {

using kubernetes::read_list;

/// A pod that starts slowly is no failed one here.
constexpr Duration kNoDeadline = std::chrono::hours(24);

/// Every namespace has one from its cluster, its mesh or its distribution.
constexpr std::array<std::string_view, 4> kOfEachNamespace = {
    "default", "kube-root-ca.crt", "istio-ca-root-cert", "openshift-service-ca.crt"};

bool is_foreign(const kubernetes::ObjectMeta& meta) {
  return meta.owners.empty() && !meta.deleted &&
         meta.labels.get("app.kubernetes.io/part-of") != "bellows" &&
         meta.annotations.get("kubernetes.io/service-account.name").empty() &&
         std::ranges::find(kOfEachNamespace, meta.name) == kOfEachNamespace.end();
}

ReleasedTarget released(const kubernetes::ObjectMeta& meta, cluster::TargetRef target) {
  const PodCount before = cluster::replicas_before(meta);
  return {.ns = meta.ns,
          .target = std::move(target),
          .replicas = std::max<PodCount>(1, before),
          .has_number = before > 0};
}

void add(std::vector<ReleasedTarget>& targets, ReleasedTarget next) {
  const bool is_known = std::ranges::any_of(targets, [&](const ReleasedTarget& known) {
    return known.ns == next.ns && known.target == next.target;
  });
  if (!is_known) targets.push_back(std::move(next));
}

}  // namespace

std::string to_string(const ReleasedTarget& target) {
  return target.target.kind + " " + target.ns + "/" + target.target.name;
}

Result<std::vector<cluster::RevisionObject>> read_revision_list(std::string_view body) {
  return read_list<cluster::RevisionObject>(body);
}

Result<std::vector<kubernetes::EndpointSlice>> read_slice_list(std::string_view body) {
  return read_list<kubernetes::EndpointSlice>(body);
}

Result<std::vector<kubernetes::Service>> read_service_list(std::string_view body) {
  return read_list<kubernetes::Service>(body);
}

Result<std::vector<kubernetes::Pod>> read_pod_list(std::string_view body) {
  return read_list<kubernetes::Pod>(body);
}

std::vector<ReleasedTarget> released_targets(const std::vector<cluster::RevisionObject>& revisions,
                                             const std::vector<kubernetes::EndpointSlice>& ours) {
  const auto is_retired = [](const cluster::RevisionObject& revision) {
    return revision.state == cluster::RevisionState::kRetired;
  };
  std::vector<ReleasedTarget> targets;
  for (const cluster::RevisionObject& revision : revisions) {
    if (!is_retired(revision)) add(targets, released(revision.meta, revision.target));
  }
  for (const kubernetes::EndpointSlice& slice : ours) {
    const auto target = cluster::target_of(slice);
    const bool stays_at_zero = std::ranges::any_of(revisions, [&](const auto& revision) {
      return is_retired(revision) && revision.meta.ns == slice.meta.ns && revision.target == target;
    });
    if (target && !stays_at_zero) add(targets, released(slice.meta, *target));
  }
  return targets;
}

bool is_served(const std::vector<kubernetes::EndpointSlice>& slices) {
  return std::ranges::any_of(slices, [](const kubernetes::EndpointSlice& slice) {
    return !cluster::is_ours(slice) && std::ranges::any_of(slice.endpoints, [](const auto& each) {
      return each.ready && !each.addresses.empty();
    });
  });
}

std::string delay_of(const std::vector<kubernetes::Pod>& pods, const cluster::Clocks& clocks) {
  std::string starting;
  for (const kubernetes::Pod& pod : pods) {
    const cluster::Replica replica = cluster::replica_of(pod, {}, kNoDeadline, clocks).replica;
    if (!replica.failure_message.empty()) return replica.failure_message;
    const bool may_start = replica.phase == cluster::ReplicaPhase::kPending ||
                           replica.phase == cluster::ReplicaPhase::kStarting;
    if (may_start && starting.empty()) starting = "pod " + pod.meta.name + " is starting";
  }
  if (!starting.empty()) return starting;
  return pods.empty() ? "no pod has the labels of its selector" : "no pod is there to stay";
}

std::optional<Error> unserved_without_us(const std::vector<std::string>& services) {
  if (services.empty()) return std::nullopt;
  std::string names;
  for (const std::string& service : services) names += (names.empty() ? "" : ", ") + service;
  const kubernetes::ObjectName first = kubernetes::split_key(services.front());
  return Error(ErrorKind::kUnsupported, "Service " + names,
               "has no selector, and only a slice of Bellows leads to its pods: give it a selector "
               "(kubectl -n " +
                   std::string(first.ns) + " edit service " + std::string(first.name) +
                   "), or delete it if nobody needs it, then run this again; nothing is removed "
                   "until then");
}

Result<std::string> foreign_names(std::string_view body) {
  BELLOWS_TRY(const auto objects, read_list<kubernetes::BareObject>(body));
  std::string names;
  for (const kubernetes::BareObject& object : objects) {
    if (is_foreign(object.meta)) names += (names.empty() ? "" : ", ") + object.meta.name;
  }
  return names;
}

}  // namespace bellows::cli
