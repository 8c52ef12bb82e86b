// The second half of Paths: what is written, probed and reported.
#include <algorithm>
#include <utility>

#include "cluster/kubernetes/core/names.hpp"
#include "cluster/kubernetes/core/path_subject.hpp"
#include "cluster/kubernetes/core/paths.hpp"

namespace bellows::cluster {

namespace {

using kubernetes::EndpointSlice;
using kubernetes::SliceEndpoint;
using Status = kubernetes::ConditionStatus;

std::string list_text(const std::vector<PodName>& names) {
  std::string text;
  for (const PodName& name : names) text += (text.empty() ? "" : ", ") + name.text();
  return text;
}

Routed front_too_small(const kubernetes::Service& service, std::size_t pods) {
  return {Status::kFalse, std::string(kTooManyPods),
          "Service " + service.meta.name + " is filled by Bellows with " +
              std::to_string(kMaxEndpoints) + " pods at most; " +
              std::to_string(pods - kMaxEndpoints) +
              " of the ready ones get no requests; give the Service a selector"};
}

/// `activators`: those in the path.
Routed routed_by_state(PathState state, const std::string& activators, const std::string& note) {
  switch (state) {
    case PathState::kDirect:
      return {Status::kTrue, "Direct", "replicas take the requests" + note};
    case PathState::kJoining:
      return {Status::kUnknown, "ActivatorsJoining", "activators are joining the path" + note};
    case PathState::kHeld:
      return {Status::kTrue, "ThroughActivators",
              "activators " + activators + " take requests" + note};
    case PathState::kLeaving:
      return {Status::kUnknown, "ActivatorsLeaving", "activators are leaving the path" + note};
  }
  return {};
}

bool is_owned_by_crd(const EndpointSlice& slice) {
  const kubernetes::OwnerReference* owner = slice.meta.controller();
  return owner != nullptr && owner->kind == kCrdKind;
}

std::vector<const EndpointSlice*> others_of(const ServiceSlices::ByName& slices) {
  std::vector<const EndpointSlice*> others;
  for (const auto& [name, slice] : slices) {
    if (!is_ours(*slice)) others.push_back(slice.get());
  }
  return others;
}

}  // namespace

SliceWrite deletion_of(const EndpointSlice& slice) {
  return {.kind = SliceWrite::Kind::kDelete,
          .ns = slice.meta.ns,
          .name = slice.meta.name,
          .uid = slice.meta.uid,
          .body = {}};
}

/// Activators that are not listed any more keep their endpoint.
std::vector<SliceEndpoint> Paths::activator_endpoints(const PathWish& wish,
                                                      const PathSubject& subject) const {
  std::vector<SliceEndpoint> endpoints;
  const auto add = [&](const PodName& name, bool is_last_resort) {
    if (const Activator* activator = activators_.find(name)) {
      endpoints.push_back(activator_endpoint(*activator, activators_.ns, is_last_resort));
      return;
    }
    if (!subject.slice) return;
    for (const SliceEndpoint& endpoint : subject.slice->endpoints) {
      if (endpoint.target_name == name.text()) endpoints.push_back(endpoint);
    }
  };
  for (const PodName& name : wish.ready) add(name, false);
  const bool has_last_resort =
      options_.has_last_resort && features_.has_serving && subject.is_possible();
  if (has_last_resort) {
    for (const PodName& name : wish.last_resort) add(name, true);
  }
  add_hints(endpoints, others_of(slices_.of(kubernetes::object_key(subject.service->meta))));
  return endpoints;
}

/// A Service that Bellows alone fills has either activators or pods.
std::vector<SliceEndpoint> Paths::pod_endpoints(const PathSubject& subject) const {
  std::vector<SliceEndpoint> endpoints;
  for (const Member* member : subject.ready_members()) {
    if (endpoints.size() == kMaxEndpoints) break;
    const kubernetes::Pod& pod = *member->pod;
    SliceEndpoint endpoint;
    endpoint.addresses = {pod.pod_ip};
    endpoint.target_kind = "Pod";
    endpoint.target_name = pod.meta.name;
    endpoint.target_namespace = pod.meta.ns;
    endpoint.node_name = pod.node_name;
    endpoints.push_back(std::move(endpoint));
  }
  return endpoints;
}

void Paths::plan_slice(PathStep& step, const PathWish& wish, const PathSubject& subject) const {
  if (subject.number == 0) return;
  SliceSubject about = subject.slice_subject(activators_.address_type);
  about.has_pods = subject.route.is_front && wish.ready.empty();
  about.crd_uid = crd_uid_;
  // Where a route has become impossible, the slice stays until it can go.
  if (!subject.is_possible() && subject.slice && !subject.slice->ports.empty()) {
    about.port.name = subject.slice->ports.front().name;
  }
  EndpointSlice wanted = wanted_slice(
      about, about.has_pods ? pod_endpoints(subject) : activator_endpoints(wish, subject));
  // An autoscaler that has just started does not know the definition yet.
  if (crd_uid_.empty() && subject.slice && is_owned_by_crd(*subject.slice)) {
    wanted.meta.owners = subject.slice->meta.owners;
  }
  if (!subject.slice) {
    step.writes.push_back({.kind = SliceWrite::Kind::kCreate,
                           .ns = wanted.meta.ns,
                           .name = wanted.meta.name,
                           .uid = {},
                           .body = slice_json(wanted, features_)});
    return;
  }
  if (is_as_wanted(*subject.slice, wanted, features_)) return;
  // The family of a slice never changes.
  if (subject.slice->address_type != wanted.address_type) {
    step.writes.push_back(deletion_of(*subject.slice));
    return;
  }
  step.writes.push_back(
      {.kind = SliceWrite::Kind::kReplace,
       .ns = wanted.meta.ns,
       .name = wanted.meta.name,
       .uid = {},
       .body = slice_json(wanted, features_, subject.slice->meta.resource_version)});
}

void Paths::plan_deletion(PathStep& step, const PathSubject& subject) const {
  if (subject.slice) step.writes.push_back(deletion_of(*subject.slice));
}

/// Returns the listed slice with other endpoints.
SliceWrite Paths::replaced(const EndpointSlice& listed,
                           std::vector<SliceEndpoint> endpoints) const {
  EndpointSlice next = listed;
  next.endpoints = std::move(endpoints);
  const std::string service = kubernetes::object_key(listed.meta.ns, listed.service());
  add_hints(next.endpoints, others_of(slices_.of(service)));
  return {.kind = SliceWrite::Kind::kReplace,
          .ns = next.meta.ns,
          .name = next.meta.name,
          .uid = {},
          .body = slice_json(next, features_, listed.meta.resource_version)};
}

std::vector<SliceWrite> Paths::handed_over(const RevisionId& id, const PodName& self) const {
  std::vector<SliceWrite> writes;
  for (const auto& [name, listed] : slices_.ours(id)) {
    const auto& all = slices_.of(kubernetes::object_key(listed->meta.ns, listed->service()));
    auto left = without_activator(*listed, self, activators_, has_ready_endpoint(all));
    if (left) writes.push_back(replaced(*listed, *std::move(left)));
  }
  return writes;
}

std::vector<SliceWrite> Paths::repaired(const RevisionId& id) const {
  std::vector<SliceWrite> writes;
  for (const auto& [name, listed] : slices_.ours(id)) {
    auto left = without_gone(*listed, activators_);
    if (left) writes.push_back(replaced(*listed, *std::move(left)));
  }
  return writes;
}

/// Deletes slices of ours for this Revision at Services that are not its own any more, as soon as
/// their Service has another ready endpoint.
void Paths::plan_others(PathStep& step, const PathSubject& subject) const {
  for (const auto& [name, slice] : slices_.ours(subject.id)) {
    if (slice == subject.slice) continue;
    const auto& all = slices_.of(kubernetes::object_key(slice->meta.ns, slice->service()));
    if (has_ready_endpoint(all)) step.writes.push_back(deletion_of(*slice));
  }
}

void Paths::plan_probes(PathStep& step, const Entry& entry, const PathFacts& facts,
                        const PathSubject& subject) const {
  if (subject.number == 0 || !subject.is_possible()) return;
  for (const Activator* activator : candidates(entry)) {
    if (std::ranges::binary_search(facts.usable, activator->name)) continue;
    step.probes.push_back(
        {.activator = activator->name, .address = activator->address, .port = subject.number});
  }
}

/// Changes nothing: no Service leads to it, or it is unclear which.
void Paths::finish_without_service(PathStep& step, const PathSubject& subject) const {
  step.path.activator_port = ports_.of(subject.id);
  const Finding* finding = nullptr;
  const Standing standing = subject.record.standing();
  for (const std::string_view reason : {kServiceAmbiguous, kServiceNotFound}) {
    if (finding == nullptr) finding = standing.find(reason);
  }
  step.routed = {Status::kFalse, "ServiceNotFound", "it has no Service"};
  if (finding != nullptr) step.routed = {Status::kFalse, finding->reason, finding->message};
  step.path.problem = step.routed.message;
  const bool is_ambiguous = finding != nullptr && finding->reason == kServiceAmbiguous;
  step.path.state = is_ambiguous ? PathState::kJoining : PathState::kHeld;
  if (is_ambiguous) return;
  for (const auto& [name, slice] : slices_.ours(subject.id)) {
    const bool is_gone = subject.is_leaving() || slice->service() == subject.record.object->service;
    if (is_gone) step.writes.push_back(deletion_of(*slice));
  }
}

Routed Paths::routed(const Entry& entry, const PathSubject& subject, const PathFacts& facts) const {
  if (!subject.is_possible()) return {Status::kFalse, subject.route.reason, subject.route.message};
  if (facts.usable.empty() && facts.in_slice.empty()) {
    if (candidates(entry).empty()) {
      return {Status::kFalse, std::string(kNoActivators),
              "no activator is ready (Service " + options_.activator_service +
                  "); the last replica stays"};
    }
    if (!entry.probe_problem.empty()) {
      return {Status::kFalse, std::string(kActivatorsNotAnswering),
              "no activator answers on port " + std::to_string(subject.number) + ": " +
                  entry.probe_problem + "; the last replica stays"};
    }
  }
  if (entry.machine.state() == PathState::kDirect && subject.route.is_front) {
    const std::size_t pods = subject.ready_members().size();
    if (pods > kMaxEndpoints) return front_too_small(*subject.service, pods);
  }
  return routed_by_state(entry.machine.state(), list_text(facts.in_slice),
                         reason_of(entry) + subject.route.message);
}

/// Returns why the path is ordered, if it is as ordered.
std::string Paths::reason_of(const Entry& entry) const {
  if (entry.wants_zero) return ": the last replica is about to go";
  const PathState state = entry.machine.state();
  const bool is_through = state == PathState::kJoining || state == PathState::kHeld;
  const bool is_as_asked = entry.order && entry.order->is_through_activators == is_through;
  return is_as_asked && !entry.order->reason.empty() ? ": " + entry.order->reason : std::string();
}

}  // namespace bellows::cluster
