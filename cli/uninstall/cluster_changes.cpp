#include "cli/uninstall/cluster_changes.hpp"

#include <utility>

#include "cli/check/rights.hpp"
#include "kubernetes/core/bare_object.hpp"
#include "kubernetes/core/patch.hpp"

namespace bellows::cli {

using kubernetes::ApiRequest;
using kubernetes::ApiVerb;

namespace {

constexpr int kForbidden = 403;
constexpr int kMissing = 404;
constexpr std::size_t kMostTold = 20;

/// Returns "you may not delete services in bellows-system", or what admission says of the object.
std::string refusal_text(const ApiRequest& request, const kubernetes::ApiAnswer& answer) {
  // The words of the API server's RBAC: User "x" cannot delete resource "services" ...
  if (answer.body.find(" cannot ") == std::string::npos) return to_string(answer.error());
  const Right right{.verb = request.verb == ApiVerb::kDelete ? "delete" : "patch",
                    .group = request.resource.group,
                    .resource = request.resource.plural,
                    .subresource = request.subresource};
  return "you may not " + to_string(right) + (request.ns.empty() ? "" : " in " + request.ns);
}

}  // namespace

Result<bool> ClusterChanges::remove(const kubernetes::Resource& resource, const std::string& key) {
  const kubernetes::ObjectName name = kubernetes::split_key(key);
  ApiRequest request(ApiVerb::kDelete, resource, std::string(name.ns), std::string(name.name));
  // With a body the server ignores dryRun in the query.
  request.body = std::string(R"({"kind":"DeleteOptions","apiVersion":"v1",)") +
                 (is_dry_run_ ? R"("dryRun":["All"],)" : "") +
                 R"("propagationPolicy":"Background"})";
  return send(std::move(request));
}

Result<void> ClusterChanges::patch(const kubernetes::Resource& resource, const std::string& key,
                                   const std::string& subresource, std::string body) {
  const kubernetes::ObjectName name = kubernetes::split_key(key);
  ApiRequest request(ApiVerb::kPatch, resource, std::string(name.ns), std::string(name.name),
                     subresource);
  request.content_type = kubernetes::kMergePatchType;
  request.query = std::string("fieldManager=bellows") + (is_dry_run_ ? "&dryRun=All" : "");
  request.body = std::move(body);
  BELLOWS_CHECKED(send(std::move(request)));
  return {};
}

/// A dry run goes on after a refusal, so that all are named. Other failures may be over when the
/// change is made, or come from a webhook that knows no dry run.
Result<bool> ClusterChanges::send(const ApiRequest& request) {
  BELLOWS_TRY(const kubernetes::ApiAnswer answer, cluster_.send(request));
  if (answer.http_status == kMissing) return false;
  if (answer.is_success()) return true;
  if (!is_dry_run_) return fail(answer.error());
  if (answer.http_status == kForbidden) refused_.insert(refusal_text(request, answer));
  return true;
}

Result<void> ClusterChanges::refusals() const {
  if (refused_.empty()) return {};
  std::string all;
  std::size_t told = 0;
  for (const std::string& each : refused_) {
    if (told == kMostTold) break;
    all += "\n  " + each;
    ++told;
  }
  if (refused_.size() > told) all += "\n  and " + std::to_string(refused_.size() - told) + " more";
  return fail(ErrorKind::kUnavailable, "the API server",
              "would refuse some steps, so none is made; ask for these rights, or run this as a "
              "user who has them:" +
                  all);
}

}  // namespace bellows::cli
