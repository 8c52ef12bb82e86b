#include "kubernetes/core/lease.hpp"

#include "base/timestamp_text.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

Lease read_lease(const Fields& object) {
  const Fields spec = object.object("spec");
  return {.meta = read_meta(object),
          .holder = spec.text("holderIdentity"),
          .duration_seconds = spec.int32("leaseDurationSeconds"),
          .acquired = spec.time("acquireTime"),
          .renewed = spec.time("renewTime"),
          .transitions = spec.int32("leaseTransitions")};
}

}  // namespace

const FieldSet& Lease::fields() {
  static const FieldSet kFields = [] {
    FieldSet fields{"/spec"};
    keep_meta(fields);
    return fields;
  }();
  return kFields;
}

Result<Lease> Lease::from(const boost::json::object& pruned) {
  return read_document(pruned, "Lease", read_lease);
}

std::string lease_json(const Lease& lease) {
  json::Writer writer;
  writer.text("apiVersion", "coordination.k8s.io/v1").text("kind", "Lease").open("metadata");
  writer.text("namespace", lease.meta.ns).text("name", lease.meta.name);
  if (!lease.meta.resource_version.empty()) {
    writer.text("resourceVersion", lease.meta.resource_version);
  }
  writer.close().open("spec");
  writer.text("holderIdentity", lease.holder);
  writer.integer("leaseDurationSeconds", lease.duration_seconds);
  if (lease.acquired) writer.text("acquireTime", micro_timestamp_text(*lease.acquired));
  if (lease.renewed) writer.text("renewTime", micro_timestamp_text(*lease.renewed));
  writer.integer("leaseTransitions", lease.transitions).close();
  return writer.end();
}

}  // namespace bellows::kubernetes
