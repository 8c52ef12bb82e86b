#include "recommender/kubernetes/core/vertical_checkpoint.hpp"

#include <utility>

#include "base/timestamp_text.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/patch.hpp"
#include "recommender/kubernetes/core/vertical_autoscaler.hpp"

namespace bellows::recommender {

kubernetes::Resource vertical_checkpoints() {
  return kubernetes::resource_of(kVerticalVersion, "verticalpodautoscalercheckpoints");
}

Result<CheckpointOwner> owner_of(const kubernetes::CustomObject& object) {
  const std::string name = "checkpoint " + kubernetes::object_key(object.meta);
  if (object.spec.empty()) return fail(ErrorKind::kMalformed, name, "spec: missing");
  BELLOWS_TRY(const json::Object spec, json::parse(object.spec, name + ": spec"));
  BELLOWS_TRY(std::string autoscaler, spec.text("vpaObjectName"));
  BELLOWS_TRY(std::string container, spec.text("containerName"));
  return CheckpointOwner{std::move(autoscaler), ContainerName(std::move(container))};
}

Result<Checkpoint> checkpoint_of(const kubernetes::CustomObject& object) {
  const std::string name = kubernetes::object_key(object.meta);
  if (object.status.empty()) {
    return fail(ErrorKind::kMalformed, "checkpoint " + name, "status: missing");
  }
  return parse_checkpoint(name, object.status);
}

std::string checkpoint_name(std::string_view autoscaler, const ContainerName& container) {
  return std::string(autoscaler) + "-" + container.text();
}

CheckpointWrite write_of(std::string_view ns, std::string_view autoscaler,
                         const ContainerName& container, const Checkpoint& checkpoint,
                         WallTime now) {
  json::Writer status;
  status.text("lastUpdateTime", timestamp_text(now));
  write_checkpoint(status, checkpoint);
  const std::string status_text = status.end();
  CheckpointWrite write{.name = checkpoint_name(autoscaler, container), .patch = {}, .object = {}};
  // A merge patch would keep the buckets that are empty by now.
  write.patch = kubernetes::JsonPatch().add_json("/status", status_text).body();
  json::Writer object;
  object.text("apiVersion", kVerticalVersion).text("kind", "VerticalPodAutoscalerCheckpoint");
  object.open("metadata").text("namespace", ns).text("name", write.name).close();
  object.open("spec").text("vpaObjectName", autoscaler).text("containerName", container.text());
  write.object = object.close().raw("status", status_text).end();
  return write;
}

}  // namespace bellows::recommender
