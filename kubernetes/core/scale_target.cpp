#include "kubernetes/core/scale_target.hpp"

#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

FieldSet scale_target_fields() {
  FieldSet fields{"/kind",
                  "/spec/replicas",
                  "/spec/paused",
                  "/spec/selector",
                  "/spec/template/metadata/labels",
                  "/spec/template/metadata/annotations",
                  "/status/replicas",
                  "/status/readyReplicas",
                  "/status/updatedReplicas",
                  "/status/observedGeneration",
                  "/status/conditions"};
  keep_meta(fields);
  keep_pod_containers(fields, "/spec/template/spec");
  return fields;
}

ScaleTarget read_scale_target(const Fields& object) {
  ScaleTarget target;
  target.meta = read_meta(object);
  const Fields spec = object.object("spec");
  target.replicas = spec.int32("replicas", 1);
  target.is_paused = spec.flag("paused");
  if (spec.is_object("selector")) target.selector = Selector::read(spec.object("selector"));
  const Fields pod_template = spec.object("template");
  const Fields metadata = pod_template.object("metadata");
  target.template_labels = metadata.map("labels");
  target.template_annotations = metadata.map("annotations");
  target.containers = read_pod_containers(pod_template.object("spec"));
  const Fields status = object.object("status");
  target.status_replicas = status.int32("replicas");
  target.ready_replicas = status.int32("readyReplicas");
  target.updated_replicas = status.int32("updatedReplicas");
  target.observed_generation = status.integer("observedGeneration");
  target.conditions = read_conditions(status, "conditions");
  return target;
}

}  // namespace

const FieldSet& ScaleTarget::fields() {
  static const FieldSet kFields = scale_target_fields();
  return kFields;
}

Result<ScaleTarget> ScaleTarget::from(const boost::json::object& pruned) {
  return read_document(pruned, "scale target", read_scale_target);
}

}  // namespace bellows::kubernetes
