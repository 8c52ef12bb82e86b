#include "kubernetes/core/service.hpp"

#include "kubernetes/core/container.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

FieldSet service_fields() {
  FieldSet fields{"/spec/selector",
                  "/spec/ports/name",
                  "/spec/ports/port",
                  "/spec/ports/targetPort",
                  "/spec/ports/protocol",
                  "/spec/ports/appProtocol",
                  "/spec/type",
                  "/spec/clusterIP",
                  "/spec/sessionAffinity",
                  "/spec/internalTrafficPolicy",
                  "/spec/externalTrafficPolicy"};
  keep_meta(fields);
  return fields;
}

Service read_service(const Fields& object) {
  Service service;
  service.meta = read_meta(object);
  const Fields spec = object.object("spec");
  service.selector = spec.map("selector");
  spec.each("ports", [&service](const Fields& port) {
    service.ports.push_back({.name = port.text("name"),
                             .port = read_port(port, "port"),
                             .target_port = port.integer_or_text("targetPort"),
                             .protocol = port.text("protocol"),
                             .app_protocol = port.text("appProtocol")});
  });
  service.type = spec.text("type");
  service.cluster_ip = spec.text("clusterIP");
  service.session_affinity = spec.text("sessionAffinity");
  service.internal_traffic_policy = spec.text("internalTrafficPolicy");
  service.external_traffic_policy = spec.text("externalTrafficPolicy");
  return service;
}

}  // namespace

const FieldSet& Service::fields() {
  static const FieldSet kFields = service_fields();
  return kFields;
}

Result<Service> Service::from(const boost::json::object& pruned) {
  return read_document(pruned, "Service", read_service);
}

}  // namespace bellows::kubernetes
