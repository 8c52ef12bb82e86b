#include "kubernetes/core/autoscalers.hpp"

#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

constexpr std::string_view kKedaPaused = "autoscaling.keda.sh/paused";
constexpr std::string_view kKedaPausedAt = "autoscaling.keda.sh/paused-replicas";

FieldSet hpa_fields() {
  FieldSet fields{"/spec/scaleTargetRef", "/spec/minReplicas", "/spec/maxReplicas",
                  "/status/conditions"};
  keep_meta(fields);
  return fields;
}

FieldSet scaled_object_fields() {
  FieldSet fields{"/spec/scaleTargetRef/apiVersion", "/spec/scaleTargetRef/kind",
                  "/spec/scaleTargetRef/name", "/spec/minReplicaCount", "/spec/maxReplicaCount"};
  keep_meta(fields);
  return fields;
}

ScaleTargetRef read_target(const Fields& spec) {
  const Fields target = spec.object("scaleTargetRef");
  return {.api_version = target.text("apiVersion"),
          .kind = target.text("kind"),
          .name = target.text("name")};
}

HorizontalPodAutoscaler read_hpa(const Fields& object) {
  HorizontalPodAutoscaler hpa;
  hpa.meta = read_meta(object);
  const Fields spec = object.object("spec");
  hpa.target = read_target(spec);
  hpa.min_replicas = spec.int32("minReplicas", 1);
  hpa.max_replicas = spec.int32("maxReplicas");
  hpa.conditions = read_conditions(object.object("status"), "conditions");
  return hpa;
}

ScaledObject read_scaled_object(const Fields& object) {
  ScaledObject scaled;
  scaled.meta = read_meta(object);
  const Fields spec = object.object("spec");
  scaled.target = read_target(spec);
  if (scaled.target.kind.empty()) {
    scaled.target.api_version = "apps/v1";
    scaled.target.kind = "Deployment";
  }
  scaled.min_replicas = spec.optional_int32("minReplicaCount");
  scaled.max_replicas = spec.optional_int32("maxReplicaCount");
  scaled.is_paused = scaled.meta.annotations.get(kKedaPaused) == "true" ||
                     scaled.meta.annotations.find(kKedaPausedAt) != nullptr;
  return scaled;
}

}  // namespace

const FieldSet& HorizontalPodAutoscaler::fields() {
  static const FieldSet kFields = hpa_fields();
  return kFields;
}

Result<HorizontalPodAutoscaler> HorizontalPodAutoscaler::from(const boost::json::object& pruned) {
  return read_document(pruned, "HorizontalPodAutoscaler", read_hpa);
}

const FieldSet& ScaledObject::fields() {
  static const FieldSet kFields = scaled_object_fields();
  return kFields;
}

Result<ScaledObject> ScaledObject::from(const boost::json::object& pruned) {
  return read_document(pruned, "ScaledObject", read_scaled_object);
}

}  // namespace bellows::kubernetes
