#include "cluster/kubernetes/core/path_subject.hpp"

#include <algorithm>
#include <utility>

#include "cluster/kubernetes/core/names.hpp"

namespace bellows::cluster {

namespace {

bool is_ready(const Member& member) {
  return member.replica && member.replica->phase == ReplicaPhase::kReady;
}

}  // namespace

PathSubject::PathSubject(const RevisionId& its_id, const Record& its_record,
                         const kubernetes::Service* its_service, bool is_shared,
                         const ServiceSlices& slices, bool are_activators_on_each_node)
    : id(its_id), record(its_record), service(its_service) {
  if (service == nullptr) return;
  const auto& listed = slices.of(kubernetes::object_key(service->meta));
  const auto own = listed.find(slice_name(service->meta.name));
  const bool is_taken = own != listed.end() && !is_ours(*own->second);
  if (own != listed.end() && !is_taken) slice = own->second;
  std::vector<kubernetes::Container> containers;
  if (record.target) {
    containers = as_injected(record.target->containers, record.target->template_labels);
  }
  route = route_of(*service, containers, record.port, are_activators_on_each_node);
  if (is_taken) {
    refuse(kSliceNameTaken, "the EndpointSlice " + slice_name(service->meta.name) +
                                " is not managed by bellows.dev; remove it");
  }
  if (is_shared) {
    refuse(kServiceShared, "Service " + service->meta.name +
                               " belongs to other Revisions too; want one Service for each");
  }
}

void PathSubject::refuse(std::string_view reason, std::string message) {
  if (!route.reason.empty()) return;
  route.reason = reason;
  route.message = std::move(message);
}

PodCount PathSubject::replicas_before() const {
  return std::max<PodCount>(1, cluster::replicas_before(record.object->meta));
}

std::vector<const Member*> PathSubject::ready_members() const {
  std::vector<const Member*> ready;
  for (const auto& [name, member] : record.members) {
    if (is_ready(member) && !member.replica->address.host.empty()) ready.push_back(&member);
  }
  return ready;
}

/// Slices name for a while pods that are being deleted, or are gone.
bool PathSubject::stays(const kubernetes::SliceEndpoint& endpoint) const {
  if (endpoint.target_kind != "Pod") return true;
  const auto member = record.members.find(endpoint.target_name);
  return member != record.members.end() && is_ready(member->second);
}

bool PathSubject::are_replicas_ready(const ServiceSlices& slices) const {
  // Pods that an order to zero ends stay listed as ready for a moment.
  if (record.requested() == 0) return false;
  if (route.is_front) return !ready_members().empty();
  return has_ready_endpoint(slices.of(kubernetes::object_key(service->meta)),
                            [this](const auto& endpoint) { return stays(endpoint); });
}

std::vector<PodName> activators_in(const kubernetes::EndpointSlice& slice, std::uint16_t number) {
  std::vector<PodName> names;
  if (number == 0 || slice.ports.empty() || slice.ports.front().port != number) return names;
  for (const kubernetes::SliceEndpoint& endpoint : slice.endpoints) {
    if (endpoint.ready && !endpoint.addresses.empty()) names.emplace_back(endpoint.target_name);
  }
  std::ranges::sort(names);
  return names;
}

std::vector<PodName> PathSubject::activators_in_slice() const {
  if (!slice || slice->ports.empty()) return {};
  const bool is_other_port = is_possible() && slice->ports.front().name != route.port.name;
  return is_other_port ? std::vector<PodName>() : activators_in(*slice, number);
}

bool PathSubject::is_in_slice(const Activator& activator) const {
  if (!slice || slice->ports.empty() || slice->ports.front().port != number) return false;
  return std::ranges::any_of(slice->endpoints, [&](const auto& endpoint) {
    return endpoint.target_name == activator.name.text() && !endpoint.addresses.empty() &&
           endpoint.addresses.front() == activator.address;
  });
}

SliceSubject PathSubject::slice_subject(std::string address_type) const {
  const TargetRef& target = record.object->target;
  return {.revision = record.object->meta.name,
          .target = target.api_version + " " + target.kind + " " + target.name,
          .replicas_before = replicas_before(),
          .service = service,
          .port = route.port,
          .number = number,
          .has_pods = false,
          .pod_port = route.target_port,
          .address_type = std::move(address_type),
          .crd_uid = {}};
}

}  // namespace bellows::cluster
