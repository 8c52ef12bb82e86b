#include "injector/core/admission.hpp"

#include <algorithm>
#include <utility>

#include "base/base64.hpp"
#include "injector/core/inject.hpp"
#include "injector/core/json_changes.hpp"
#include "injector/core/layout.hpp"
#include "injector/core/names.hpp"
#include "injector/core/read_json.hpp"
#include "json/writer.hpp"

namespace bellows::injector {

namespace {

constexpr std::string_view kReviewVersion = "admission.k8s.io/v1";

Error malformed(std::string culprit, const std::string& is, const std::string& want) {
  return {ErrorKind::kMalformed, std::move(culprit),
          (is.empty() ? "missing" : "\"" + is + "\"") + ": want " + want};
}

/// The text of an entry whose key may have slashes.
std::string entry_text(const Node* map, std::string_view key) {
  const Node* const value = map == nullptr ? nullptr : map->find(key);
  return value != nullptr && value->is_scalar() ? value->text : std::string();
}

bool is_pod_creation(const Node& request) {
  return request.text_at("kind/group").empty() && request.text_at("kind/kind") == "Pod" &&
         request.text_at("kind/version") == "v1" && request.text_at("subResource").empty() &&
         request.text_at("operation") == "CREATE";
}

/// The workload that makes a pod.
struct Owner {
  std::string kind;  ///< empty: nothing owns it
  std::string name;
};

/// Returns the owner that controls the pod, or the first one.
Owner owner_of(const Node& pod) {
  const Node* const owners = pod.at("metadata/ownerReferences");
  if (owners == nullptr || owners->items.empty()) return {};
  const auto controls = [](const Node& owner) { return owner.text_at("controller") == "true"; };
  const auto found = std::ranges::find_if(owners->items, controls);
  const Node& owner = found == owners->items.end() ? owners->items.front() : *found;
  return {.kind = owner.text_at("kind"), .name = owner.text_at("name")};
}

std::string without_suffix(std::string name, const std::string& suffix) {
  const bool has_it = suffix.size() > 1 && name.size() > suffix.size() && name.ends_with(suffix);
  if (has_it) name.resize(name.size() - suffix.size());
  return name;
}

/// A Deployment's name and a hash, which a label of the pod has, are the name of its ReplicaSet.
std::string workload_of(const Node& pod, const Owner& owner) {
  const Node* const labels = pod.at("metadata/labels");
  if (!owner.name.empty()) {
    for (const char* hash : {"pod-template-hash", "rollouts-pod-template-hash"}) {
      const std::string shorter = without_suffix(owner.name, "-" + entry_text(labels, hash));
      if (shorter != owner.name) return shorter;
    }
    return owner.name;
  }
  std::string name = pod.text_at("metadata/name");
  if (name.empty()) name = pod.text_at("metadata/generateName");
  while (name.ends_with('-')) name.pop_back();
  return name;
}

/// Returns true if the pod has a queue-proxy of its manifest, of the policy (policy.hpp) or of an
/// earlier call.
bool is_injected(const Node& pod) {
  return !entry_text(pod.at("metadata/labels"), kRevisionLabel).empty() && has_queue_proxy(pod);
}

/// Returns why the pod gets no queue-proxy, whatever its ports are; empty: it may.
std::string reason_of_owner(const Owner& owner) {
  if (owner.kind == kNodeKind) return "it is a static pod of a node";
  return std::string(reason_of_kind(owner.kind));
}

Admission unchanged(Admission admission, Outcome outcome, std::string what) {
  admission.outcome = outcome;
  admission.warnings.insert(admission.warnings.begin(), "bellows: not injected: " + what);
  admission.what = std::move(what);
  return admission;
}

/// Makes the answer of what inject() did to the only document.
Admission answer_of(Admission admission, const Node& before, const Injection& injection) {
  for (const ReportLine& line : injection.report) {
    for (const std::string& warning : line.warnings) {
      admission.warnings.push_back("bellows: " + warning);
    }
  }
  const auto injected =
      std::ranges::find(injection.report, Outcome::kInjected, &ReportLine::outcome);
  if (injection.report.empty()) {
    return unchanged(std::move(admission), Outcome::kSkipped, "it is no pod");
  }
  if (injected == injection.report.end()) {
    const ReportLine& line = injection.report.back();
    admission = unchanged(std::move(admission), line.outcome, line.what);
    if (line.what.starts_with(kInjectAnnotation)) admission.warnings.clear();  // as its user wants
    return admission;
  }
  const Document& after = injection.manifests.front().documents.front();
  const kubernetes::JsonPatch patch = json_changes(before, after.root, after.text);
  admission.outcome = Outcome::kInjected;
  admission.what = injected->what;
  if (!patch.is_empty()) admission.patch = patch.body();
  return admission;
}

}  // namespace

Result<AdmissionRequest> read_review(std::string_view body) {
  BELLOWS_TRY(const Node review, read_json(body));
  const std::string version = review.text_at("apiVersion");
  if (version != kReviewVersion || review.text_at("kind") != "AdmissionReview") {
    return fail(malformed("apiVersion and kind", version + " " + review.text_at("kind"),
                          std::string(kReviewVersion) + " AdmissionReview"));
  }
  const Node* const request = review.find("request");
  if (request == nullptr || !request->is_map()) {
    return fail(malformed("request", "", "the object to admit"));
  }
  AdmissionRequest read{
      .uid = request->text_at("uid"), .name_space = request->text_at("namespace"), .pod = {}};
  if (read.uid.empty()) return fail(malformed("request.uid", "", "the uid of the request"));
  if (!is_pod_creation(*request)) return read;
  const Node* const pod = request->find("object");
  if (pod == nullptr || !pod->is_map()) return fail(malformed("request.object", "", "a pod"));
  const auto extent = Layout(body).value_extent(*pod);
  read.pod = body.substr(extent->begin, extent->end - extent->begin);
  return read;
}

Admission admit(const AdmissionRequest& request, InjectOptions options) {
  Admission admission;
  if (request.pod.empty()) {
    return unchanged(std::move(admission), Outcome::kSkipped, "want the creation of a pod");
  }
  auto manifest = read_manifest("pod", request.pod, read_json);
  if (!manifest || manifest->documents.size() != 1) {
    return unchanged(std::move(admission), Outcome::kRefused, "want one pod");
  }
  const Node pod = manifest->documents.front().root;
  const Owner owner = owner_of(pod);
  admission.workload = workload_of(pod, owner);
  if (is_injected(pod)) {
    admission.what = "it has a queue-proxy already";
    return admission;
  }
  if (std::string why = reason_of_owner(owner); !why.empty()) {
    return unchanged(std::move(admission), Outcome::kSkipped, std::move(why));
  }
  options.workload = admission.workload.empty() ? "pod" : admission.workload;
  std::vector<Manifest> manifests;
  manifests.push_back(*std::move(manifest));
  const auto injection = inject(std::move(manifests), options, read_json);
  if (!injection) {
    return unchanged(std::move(admission), Outcome::kRefused, to_string(injection.error()));
  }
  return answer_of(std::move(admission), pod, *injection);
}

std::string review_text(const std::string& uid, const Admission& admission) {
  json::Writer writer;
  writer.text("apiVersion", kReviewVersion).text("kind", "AdmissionReview").open("response");
  writer.text("uid", uid).flag("allowed", true);
  if (!admission.patch.empty()) {
    writer.text("patchType", "JSONPatch").text("patch", to_base64(admission.patch));
  }
  if (!admission.warnings.empty()) {
    writer.open_list("warnings");
    for (const std::string& warning : admission.warnings) writer.text(warning);
    writer.close();
  }
  return writer.close().end();
}

}  // namespace bellows::injector
