#include "cluster/kubernetes/core/adoption.hpp"

#include <algorithm>

#include "cluster/kubernetes/core/names.hpp"
#include "json/writer.hpp"

namespace bellows::cluster {

namespace {

std::string revision_json(const kubernetes::ScaleTarget& deployment) {
  const kubernetes::ObjectMeta& meta = deployment.meta;
  json::Writer writer;
  writer.text("apiVersion", kApiVersion).text("kind", kRevisionKind);
  writer.open("metadata").text("name", meta.name).text("namespace", meta.ns);
  writer.open("labels").text(kManagedByLabel, kManagedByBellows).close();
  writer.open("annotations")
      .text(kReplicasBeforeAnnotation, std::to_string(deployment.replicas))
      .close();
  writer.open_list("ownerReferences").open();
  writer.text("apiVersion", "apps/v1").text("kind", "Deployment").text("name", meta.name);
  writer.text("uid", meta.uid).flag("controller", true).close().close().close();
  writer.open("spec").open("scaleTargetRef");
  writer.text("apiVersion", "apps/v1").text("kind", "Deployment").text("name", meta.name);
  return writer.close().close().end();
}

bool is_owned_by(const RevisionObject& revision, const kubernetes::ScaleTarget& deployment) {
  return std::ranges::any_of(revision.meta.owners, [&](const kubernetes::OwnerReference& owner) {
    return owner.uid == deployment.meta.uid;
  });
}

Adoption creation(const kubernetes::ScaleTarget& deployment) {
  Adoption creation;
  creation.ns = deployment.meta.ns;
  creation.name = deployment.meta.name;
  creation.body = revision_json(deployment);
  return creation;
}

Adoption refusal(const kubernetes::ScaleTarget& deployment, const RevisionObject& same_name) {
  Adoption refusal;
  refusal.kind = Adoption::Kind::kRefuse;
  refusal.ns = deployment.meta.ns;
  refusal.name = deployment.meta.name;
  refusal.message = "it is labelled " + std::string(kAutoscaleLabel) + ", but the Revision " +
                    same_name.meta.name + " scales " + target_name(same_name.target) +
                    "; delete that Revision, or give it another name";
  return refusal;
}

}  // namespace

bool is_labelled(const kubernetes::ScaleTarget& deployment) {
  return deployment.meta.labels.get(kAutoscaleLabel) == "true";
}

std::optional<Adoption> adoption(const kubernetes::ScaleTarget* deployment,
                                 const std::vector<const RevisionObject*>& revisions,
                                 const RevisionObject* same_name) {
  if (deployment == nullptr || deployment->meta.deleted) return std::nullopt;
  if (is_labelled(*deployment)) {
    if (!revisions.empty()) return std::nullopt;
    return same_name != nullptr ? refusal(*deployment, *same_name) : creation(*deployment);
  }
  for (const RevisionObject* revision : revisions) {
    if (!revision->is_ours() || !is_owned_by(*revision, *deployment) || revision->meta.deleted) {
      continue;
    }
    Adoption release{.kind = Adoption::Kind::kRelease,
                     .ns = revision->meta.ns,
                     .name = revision->meta.name,
                     .uid = revision->meta.uid,
                     .body = {},
                     .message = {},
                     .replicas = std::nullopt};
    const PodCount before = replicas_before(revision->meta);
    if (deployment->replicas == 0 && before > 0) release.replicas = before;
    return release;
  }
  return std::nullopt;
}

}  // namespace bellows::cluster
