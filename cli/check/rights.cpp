#include "cli/check/rights.hpp"

#include "cluster/kubernetes/core/names.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/resource.hpp"
#include "kubernetes/core/service_account_token.hpp"

namespace bellows::cli {

namespace {

void add(std::vector<Right>& rights, std::initializer_list<const char*> verbs,
         std::string_view group, std::string_view resource, std::string_view subresource = {}) {
  for (const char* verb : verbs) {
    rights.push_back({verb, std::string(group), std::string(resource), std::string(subresource)});
  }
}

}  // namespace

std::string to_string(const Right& right) {
  if (!right.path.empty()) return right.verb + " " + right.path;
  std::string text = right.verb + " " +
                     kubernetes::to_string(kubernetes::Resource{right.group, "", right.resource});
  if (!right.subresource.empty()) text += "/" + right.subresource;
  return text;
}

std::vector<Right> autoscaler_rights(const kubernetes::ServerFeatures& features,
                                     const std::string& ns) {
  std::vector<Right> rights;
  add(rights, {"list", "watch", "create", "delete"}, cluster::kGroup, cluster::kRevisionPlural);
  add(rights, {"patch"}, cluster::kGroup, cluster::kRevisionPlural, "status");
  for (const char* verb : {"list", "watch"}) {
    rights.push_back({verb, "apiextensions.k8s.io", "customresourcedefinitions", "",
                      std::string(cluster::kRevisionCrd)});
    rights.push_back({verb, "", "namespaces", "", ns});
  }
  for (const char* target : {"deployments", "statefulsets", "replicasets"}) {
    add(rights, {"get", "list", "watch"}, "apps", target);
    add(rights, {"patch"}, "apps", target, "scale");
  }
  add(rights, {"list", "watch"}, "", "pods");
  add(rights, {"list", "watch"}, "", "services");
  add(rights, {"list", "watch", "create", "update", "delete"}, "discovery.k8s.io",
      "endpointslices");
  add(rights, {"list", "watch"}, "autoscaling", "horizontalpodautoscalers");
  if (features.scaled_objects()) add(rights, {"list", "watch"}, "keda.sh", "scaledobjects");
  if (features.pod_metrics()) add(rights, {"list"}, "metrics.k8s.io", "pods");
  add(rights, {"create", "patch"}, "", "events");
  if (features.has_pod_deletion_cost()) add(rights, {"patch"}, "", "pods");
  return rights;
}

std::vector<Right> rights_to_lease(const std::string& lease) {
  std::vector<Right> rights;
  for (const char* verb : {"create", "get", "update"}) {
    const bool has_name = verb != std::string_view("create");  // RBAC: none before it is created
    rights.push_back({verb, "coordination.k8s.io", "leases", "", has_name ? lease : ""});
  }
  return rights;
}

std::vector<Right> rights_to_token_keys() {
  std::vector<Right> rights;
  for (const char* path : {kubernetes::kIssuerPath, kubernetes::kKeysPath}) {
    rights.push_back({.verb = "get", .group = "", .resource = "", .path = path});
  }
  return rights;
}

std::string access_review(const Right& right, std::string_view ns, std::string_view user) {
  json::Writer writer;
  writer.text("apiVersion", "authorization.k8s.io/v1");
  writer.text("kind", user.empty() ? "SelfSubjectAccessReview" : "SubjectAccessReview");
  writer.open("spec");
  if (!user.empty()) writer.text("user", user);
  if (!right.path.empty()) {
    writer.open("nonResourceAttributes");
    writer.text("path", right.path).text("verb", right.verb);
    writer.close().close();
    return writer.end();
  }
  writer.open("resourceAttributes");
  if (!ns.empty()) writer.text("namespace", ns);
  writer.text("verb", right.verb).text("group", right.group).text("resource", right.resource);
  if (!right.subresource.empty()) writer.text("subresource", right.subresource);
  if (!right.name.empty()) writer.text("name", right.name);
  writer.close().close();
  return writer.end();
}

Result<bool> is_allowed(std::string_view answer) {
  BELLOWS_TRY(const json::Object review, json::parse(answer, "access review"));
  BELLOWS_TRY(const json::Object status, review.object("status"));
  return status.flag("allowed");
}

}  // namespace bellows::cli
