#include "kubernetes/core/endpoint_slice.hpp"

#include "kubernetes/core/container.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

FieldSet slice_fields() {
  FieldSet fields{"/addressType",
                  "/endpoints/addresses",
                  "/endpoints/conditions",
                  "/endpoints/targetRef/kind",
                  "/endpoints/targetRef/name",
                  "/endpoints/targetRef/namespace",
                  "/endpoints/nodeName",
                  "/endpoints/zone",
                  "/endpoints/hints/forZones/name",
                  "/endpoints/topology/kubernetes.io~1hostname",
                  "/endpoints/topology/topology.kubernetes.io~1zone",
                  "/ports/name",
                  "/ports/port",
                  "/ports/protocol",
                  "/ports/appProtocol"};
  keep_meta(fields);
  return fields;
}

SliceEndpoint read_endpoint(const Fields& from) {
  SliceEndpoint endpoint;
  from.each_text("addresses", [&endpoint](std::string_view address) {
    endpoint.addresses.emplace_back(address);
  });
  const Fields conditions = from.object("conditions");
  endpoint.ready = conditions.flag("ready", true);
  endpoint.serving = conditions.flag("serving", endpoint.ready);
  endpoint.terminating = conditions.flag("terminating");
  const Fields target = from.object("targetRef");
  endpoint.target_kind = target.text("kind");
  endpoint.target_name = target.text("name");
  endpoint.target_namespace = target.text("namespace");
  endpoint.node_name = from.text("nodeName");
  endpoint.zone = from.text("zone");
  from.object("hints").each("forZones", [&endpoint](const Fields& zone) {
    endpoint.hint_zones.push_back(zone.text("name"));
  });
  // v1beta1 names node and zone in the topology.
  const Fields topology = from.object("topology");
  if (endpoint.node_name.empty()) endpoint.node_name = topology.text(kHostnameKey);
  if (endpoint.zone.empty()) endpoint.zone = topology.text(kZoneKey);
  return endpoint;
}

EndpointSlice read_slice(const Fields& object) {
  EndpointSlice slice;
  slice.meta = read_meta(object);
  slice.address_type = object.text("addressType");
  object.each("endpoints",
              [&slice](const Fields& from) { slice.endpoints.push_back(read_endpoint(from)); });
  object.each("ports", [&slice](const Fields& port) {
    slice.ports.push_back({.name = port.text("name"),
                           .port = read_port(port, "port"),
                           .protocol = port.text("protocol"),
                           .app_protocol = port.text("appProtocol")});
  });
  return slice;
}

}  // namespace

const FieldSet& EndpointSlice::fields() {
  static const FieldSet kFields = slice_fields();
  return kFields;
}

Result<EndpointSlice> EndpointSlice::from(const boost::json::object& pruned) {
  return read_document(pruned, "EndpointSlice", read_slice);
}

}  // namespace bellows::kubernetes
