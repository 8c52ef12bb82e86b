#include "cluster/kubernetes/core/path_slice.hpp"

#include <algorithm>
#include <set>

#include "base/read_number.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "json/writer.hpp"

namespace bellows::cluster {

namespace {

using kubernetes::EndpointSlice;
using kubernetes::SliceEndpoint;

constexpr std::size_t kMaxHints = 8;  // the API's limit for one endpoint

/// Returns the zones of the hints, if every ready endpoint has one.
std::set<std::string> hinted_zones(const std::vector<const EndpointSlice*>& slices) {
  std::set<std::string> zones;
  for (const EndpointSlice* slice : slices) {
    for (const SliceEndpoint& endpoint : slice->endpoints) {
      if (!endpoint.ready) continue;
      if (endpoint.hint_zones.empty()) return {};
      zones.insert(endpoint.hint_zones.begin(), endpoint.hint_zones.end());
    }
  }
  return zones;
}

void write_topology(json::Writer& writer, const SliceEndpoint& endpoint) {
  if (endpoint.node_name.empty() && endpoint.zone.empty()) return;
  writer.open("topology");
  if (!endpoint.node_name.empty()) writer.text(kubernetes::kHostnameKey, endpoint.node_name);
  if (!endpoint.zone.empty()) writer.text(kubernetes::kZoneKey, endpoint.zone);
  writer.close();
}

void write_places(json::Writer& writer, const SliceEndpoint& endpoint) {
  if (!endpoint.node_name.empty()) writer.text("nodeName", endpoint.node_name);
  if (!endpoint.zone.empty()) writer.text("zone", endpoint.zone);
  if (endpoint.hint_zones.empty()) return;
  writer.open("hints").open_list("forZones");
  for (const std::string& zone : endpoint.hint_zones) writer.open().text("name", zone).close();
  writer.close().close();
}

void write_endpoint(json::Writer& writer, const SliceEndpoint& endpoint, SliceFeatures features) {
  writer.open();
  writer.open_list("addresses").text(endpoint.addresses.front()).close();
  writer.open("conditions").flag("ready", endpoint.ready);
  if (features.has_serving) {
    writer.flag("serving", endpoint.serving).flag("terminating", endpoint.terminating);
  }
  writer.close();
  if (!endpoint.target_name.empty()) {
    writer.open("targetRef").text("kind", endpoint.target_kind).text("name", endpoint.target_name);
    if (!endpoint.target_namespace.empty()) writer.text("namespace", endpoint.target_namespace);
    writer.close();
  }
  if (features.is_v1) {
    write_places(writer, endpoint);
  } else {
    write_topology(writer, endpoint);
  }
  writer.close();
}

/// With the kind Revision all slices of ours go, without any right of ours; a slice whose only
/// owner is its Service would name activators that are long gone.
kubernetes::OwnerReference owner_of(const SliceSubject& subject) {
  if (subject.crd_uid.empty()) {
    return {.api_version = "v1",
            .kind = "Service",
            .name = subject.service->meta.name,
            .uid = subject.service->meta.uid,
            .is_controller = true};
  }
  return {.api_version = "apiextensions.k8s.io/v1",
          .kind = std::string(kCrdKind),
          .name = std::string(kRevisionCrd),
          .uid = subject.crd_uid,
          .is_controller = true};
}

/// Returns what a server keeps of an endpoint that it gets.
SliceEndpoint kept(SliceEndpoint endpoint, SliceFeatures features) {
  if (!features.has_serving) {
    endpoint.serving = endpoint.ready;
    endpoint.terminating = false;
  }
  if (!features.is_v1) endpoint.hint_zones.clear();
  return endpoint;
}

bool has_all_of(const kubernetes::StringMap& listed, const kubernetes::StringMap& wanted) {
  return std::ranges::all_of(
      wanted, [&](const auto& entry) { return listed.get(entry.first) == entry.second; });
}

void write_map(json::Writer& writer, std::string_view key, const kubernetes::StringMap& map) {
  writer.open(key);
  for (const auto& [name, value] : map) writer.text(name, value);
  writer.close();
}

void write_meta(json::Writer& writer, const kubernetes::ObjectMeta& meta,
                const std::string& resource_version) {
  writer.open("metadata").text("namespace", meta.ns).text("name", meta.name);
  if (!resource_version.empty()) writer.text("resourceVersion", resource_version);
  write_map(writer, "labels", meta.labels);
  write_map(writer, "annotations", meta.annotations);
  writer.open_list("ownerReferences");
  for (const kubernetes::OwnerReference& owner : meta.owners) {
    writer.open().text("apiVersion", owner.api_version).text("kind", owner.kind);
    writer.text("name", owner.name).text("uid", owner.uid).flag("controller", true).close();
  }
  writer.close().close();
}

}  // namespace

std::string slice_name(const std::string& service) {
  return service + std::string(kSliceSuffix);
}

std::uint16_t activator_port_of(const EndpointSlice& slice) {
  return read_number<std::uint16_t>(slice.meta.annotations.get(kSlicePortAnnotation)).value_or(0);
}

/// Parses "apps/v1 Deployment web".
std::optional<TargetRef> target_of(const EndpointSlice& slice) {
  const std::string_view text = slice.meta.annotations.get(kSliceTargetAnnotation);
  const std::size_t first = text.find(' ');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = text.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  TargetRef target;
  target.api_version = text.substr(0, first);
  target.kind = text.substr(first + 1, second - first - 1);
  target.name = text.substr(second + 1);
  if (!target.has_valid_kind()) return std::nullopt;
  return target;
}

SliceEndpoint activator_endpoint(const Activator& activator, const std::string& ns,
                                 bool is_last_resort) {
  SliceEndpoint endpoint;
  endpoint.addresses = {activator.address};
  endpoint.ready = !is_last_resort;
  endpoint.serving = true;
  endpoint.terminating = is_last_resort;
  endpoint.target_kind = "Pod";
  endpoint.target_name = activator.name.text();
  endpoint.target_namespace = ns;
  endpoint.node_name = activator.node;
  endpoint.zone = activator.zone;
  return endpoint;
}

void add_hints(std::vector<SliceEndpoint>& endpoints,
               const std::vector<const EndpointSlice*>& others) {
  std::set<std::string> orphans = hinted_zones(others);
  if (orphans.empty()) return;
  for (const SliceEndpoint& endpoint : endpoints) orphans.erase(endpoint.zone);
  for (SliceEndpoint& endpoint : endpoints) {
    endpoint.hint_zones.clear();
    if (!endpoint.zone.empty()) endpoint.hint_zones.push_back(endpoint.zone);
    for (const std::string& zone : orphans) {
      if (endpoint.hint_zones.size() < kMaxHints) endpoint.hint_zones.push_back(zone);
    }
  }
}

std::optional<std::vector<SliceEndpoint>> without_activator(const EndpointSlice& slice,
                                                            const PodName& self,
                                                            const ActivatorList& activators,
                                                            bool has_replica) {
  std::vector<SliceEndpoint> left;
  bool is_served = has_replica;
  for (const SliceEndpoint& endpoint : slice.endpoints) {
    if (endpoint.target_name == self.text()) continue;
    const Activator* other = activators.find(PodName(endpoint.target_name));
    is_served = is_served || (endpoint.ready && other != nullptr && other->is_ready);
    left.push_back(endpoint);
  }
  if (left.size() == slice.endpoints.size()) return std::nullopt;
  if (is_served) return left;
  left.clear();
  for (const Activator& activator : activators.activators) {
    if (activator.name == self || !activator.is_ready || activator.address.empty()) continue;
    left.push_back(activator_endpoint(activator, activators.ns, false));
  }
  return left.empty() ? std::nullopt : std::optional(std::move(left));
}

std::optional<std::vector<SliceEndpoint>> without_gone(const EndpointSlice& slice,
                                                       const ActivatorList& activators) {
  const bool has_pods = slice.ports.empty() || slice.ports.front().port != activator_port_of(slice);
  if (has_pods) return std::nullopt;
  std::vector<SliceEndpoint> left;
  bool takes_requests = false;
  bool has_ready = false;
  for (const SliceEndpoint& endpoint : slice.endpoints) {
    takes_requests = takes_requests || endpoint.ready;
    const Activator* activator = activators.find(PodName(endpoint.target_name));
    if (activator == nullptr) continue;
    has_ready = has_ready || activator->is_ready;
    left.push_back(endpoint);
  }
  if (left.size() == slice.endpoints.size()) return std::nullopt;
  if (has_ready) return left;
  left.clear();
  for (const Activator& activator : activators.activators) {
    if (!activator.is_ready || activator.address.empty()) continue;
    left.push_back(activator_endpoint(activator, activators.ns, !takes_requests));
  }
  return left.empty() ? std::nullopt : std::optional(std::move(left));
}

EndpointSlice wanted_slice(const SliceSubject& subject, std::vector<SliceEndpoint> endpoints) {
  const kubernetes::ObjectMeta& service = subject.service->meta;
  EndpointSlice slice;
  slice.meta.ns = service.ns;
  slice.meta.name = slice_name(service.name);
  slice.meta.labels = kubernetes::StringMap(
      {{std::string(kubernetes::kServiceNameLabel), service.name},
       {std::string(kubernetes::kSliceManagedByLabel), std::string(kSliceManager)}});
  slice.meta.annotations = kubernetes::StringMap(
      {{std::string(kSliceRevisionAnnotation), subject.revision},
       {std::string(kSliceTargetAnnotation), subject.target},
       {std::string(kSlicePortAnnotation), std::to_string(subject.number)},
       {std::string(kReplicasBeforeAnnotation), std::to_string(subject.replicas_before)}});
  slice.meta.owners = kubernetes::SharedList<kubernetes::OwnerReference>({owner_of(subject)});
  slice.address_type = subject.address_type;
  slice.endpoints = std::move(endpoints);
  slice.ports = {{.name = subject.port.name,
                  .port = subject.has_pods ? subject.pod_port : subject.number,
                  .protocol = "TCP",
                  .app_protocol = subject.port.app_protocol}};
  return slice;
}

bool is_as_wanted(const EndpointSlice& listed, const EndpointSlice& wanted,
                  SliceFeatures features) {
  if (listed.address_type != wanted.address_type || listed.ports != wanted.ports ||
      listed.endpoints.size() != wanted.endpoints.size() ||
      listed.meta.owners != wanted.meta.owners ||
      !has_all_of(listed.meta.labels, wanted.meta.labels) ||
      !has_all_of(listed.meta.annotations, wanted.meta.annotations)) {
    return false;
  }
  for (std::size_t i = 0; i < wanted.endpoints.size(); ++i) {
    if (kept(listed.endpoints[i], features) != kept(wanted.endpoints[i], features)) return false;
  }
  return true;
}

std::string slice_json(const EndpointSlice& slice, SliceFeatures features,
                       const std::string& resource_version) {
  json::Writer writer;
  writer.text("apiVersion", features.is_v1 ? "discovery.k8s.io/v1" : "discovery.k8s.io/v1beta1");
  writer.text("kind", "EndpointSlice");
  write_meta(writer, slice.meta, resource_version);
  writer.text("addressType", slice.address_type).open_list("endpoints");
  for (const SliceEndpoint& endpoint : slice.endpoints) write_endpoint(writer, endpoint, features);
  writer.close().open_list("ports");
  for (const kubernetes::EndpointPort& port : slice.ports) {
    writer.open().text("name", port.name).integer("port", port.port).text("protocol", "TCP");
    if (!port.app_protocol.empty()) writer.text("appProtocol", port.app_protocol);
    writer.close();
  }
  return writer.close().end();
}

}  // namespace bellows::cluster
