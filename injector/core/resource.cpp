#include "injector/core/resource.hpp"

#include <algorithm>
#include <map>

#include "base/text_parts.hpp"
#include "injector/core/names.hpp"

namespace bellows::injector {

namespace {

/// The kinds whose pods may get a queue-proxy, and the group of each.
const std::map<std::string_view, std::string_view> kScalableKinds = {{"Deployment", "apps/"},
                                                                     {"StatefulSet", "apps/"},
                                                                     {"ReplicaSet", "apps/"},
                                                                     {"Rollout", "argoproj.io/"},
                                                                     {"Pod", "v1"}};

const std::map<std::string_view, std::string_view> kOtherWorkloads = {
    {"DaemonSet", "it has one pod on each node, whatever the load is"},
    {"Job", "its pods end by themselves, which a sidecar would keep them from"},
    {"CronJob", "its pods end by themselves, which a sidecar would keep them from"},
    {"ReplicationController", "Bellows does not scale this kind; want a Deployment"}};

/// Finds the objects of one document.
class Finder {
 public:
  Finder(const Document& document, std::vector<Resource>& found)
      : document_(document), line_(document.first_line), found_(found) {}

  /// `place` has the kind and version of an object that does not say its own.
  void add(const Node& root, Resource place) {
    constexpr std::string_view kList = "List";
    set(place.kind, root, "kind");
    set(place.api_version, root, "apiVersion");
    if (place.kind.empty()) return;
    const Node* const items = root.find("items");
    if (place.kind.ends_with(kList) && items != nullptr && items->is_sequence()) {
      place.kind.resize(place.kind.size() - kList.size());
      if (place.kind.empty()) place.api_version.clear();  // of List, whose items are of any kind
      for (const Node& item : items->items) add(item, place);
      return;
    }
    place.root = &root;
    place.line = line_at(root.begin);
    place.name = root.text_at("metadata/name");
    place.name_space = root.text_at("metadata/namespace");
    place.index = found_.size();
    found_.push_back(std::move(place));
  }

 private:
  static void set(std::string& value, const Node& root, std::string_view key) {
    std::string own = root.text_at(key);
    if (!own.empty()) value = std::move(own);
  }

  /// Counts from the object before it, because a list may have thousands.
  std::size_t line_at(std::size_t at) {
    if (at < at_) {  // what an alias means is elsewhere
      at_ = 0;
      line_ = document_.first_line;
    }
    const std::string_view text = document_.text;
    line_ += static_cast<std::size_t>(std::ranges::count(text.substr(at_, at - at_), '\n'));
    at_ = at;
    return line_;
  }

  const Document& document_;
  std::size_t at_ = 0;
  std::size_t line_;  // of `at_`
  std::vector<Resource>& found_;
};

bool is_owned(const Node& root) {
  const Node* const owners = root.at("metadata/ownerReferences");
  return owners != nullptr && owners->is_sequence() && !owners->items.empty();
}

/// The text of an entry whose key may have slashes.
std::string entry_text(const Node* map, std::string_view key) {
  const Node* const value = map == nullptr ? nullptr : map->find(key);
  return value != nullptr && value->is_scalar() ? value->text : std::string();
}

bool is_windows(const Node& spec) {
  return spec.text_at("os/name") == "windows" ||
         entry_text(spec.find("nodeSelector"), "kubernetes.io/os") == "windows";
}

std::optional<std::string> reason_of_pod(const Resource& resource, const Node& pod) {
  const Node* const spec = pod.find("spec");
  if (spec == nullptr || !spec->is_map()) return "its pods have no spec";
  if (spec->text_at("hostNetwork") == "true") {
    return "hostNetwork: the ports of the queue-proxy would be those of the node";
  }
  if (is_windows(*spec)) {
    return "its pods are for Windows; the queue-proxy is a Linux program";
  }
  const std::string restart = spec->text_at("restartPolicy");
  if (resource.kind == "Pod" && !restart.empty() && restart != "Always") {
    return "restartPolicy " + restart + ": it ends by itself, which a sidecar would keep it from";
  }
  return std::nullopt;
}

}  // namespace

std::vector<Resource> find_resources(const std::vector<Manifest>& manifests) {
  std::vector<Resource> found;
  for (std::size_t file = 0; file < manifests.size(); ++file) {
    const auto& documents = manifests[file].documents;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      Resource place;
      place.manifest = file;
      place.document = i;
      Finder(documents[i], found).add(documents[i].root, std::move(place));
    }
  }
  return found;
}

std::string label_of(const Resource& resource) {
  return lower_case(resource.kind) + "/" + (resource.name.empty() ? "(no name)" : resource.name);
}

const Node* pod_of(const Resource& resource) {
  const auto kind = kScalableKinds.find(resource.kind);
  if (kind == kScalableKinds.end()) return nullptr;
  const bool is_old = resource.api_version.starts_with("extensions/");
  if (!resource.api_version.starts_with(kind->second) && !is_old) return nullptr;
  if (resource.kind == "Pod") return resource.root;
  const Node* const pod = resource.root->at("spec/template");
  return pod != nullptr && pod->is_map() ? pod : nullptr;
}

bool has_queue_proxy(const Node& pod) {
  const auto is_it = [](const Node& each) { return each.text_at("name") == kContainerName; };
  const auto has_it = [&](const char* list) {
    const Node* const containers = pod.at(list);
    return containers != nullptr && std::ranges::any_of(containers->items, is_it);
  };
  return has_it("spec/containers") || has_it("spec/initContainers");
}

std::string_view reason_of_kind(std::string_view kind) {
  const auto other = kOtherWorkloads.find(kind);
  return other == kOtherWorkloads.end() ? std::string_view() : other->second;
}

std::vector<std::string_view> kinds_not_injected() {
  std::vector<std::string_view> kinds;
  for (const auto& [kind, reason] : kOtherWorkloads) kinds.push_back(kind);
  return kinds;
}

std::optional<std::string> reason_to_skip(const Resource& resource, bool is_admission) {
  const std::string_view of_kind = reason_of_kind(resource.kind);
  if (!of_kind.empty()) return std::string(of_kind);
  if (!kScalableKinds.contains(resource.kind)) return "";
  if (resource.kind == "Rollout" && resource.root->at("spec/workloadRef") != nullptr) {
    return "workloadRef: its pods are those of another object; inject that one";
  }
  const Node* const pod = pod_of(resource);
  if (pod == nullptr) return "it has no spec.template";
  if (is_owned(*resource.root) && !is_admission)
    return "it belongs to another object; inject that one";
  if (entry_text(resource.root->at("metadata/labels"), kPartOfLabel) == "bellows") {
    return "it is a part of Bellows";
  }
  const std::string wish = annotation_of(resource, kInjectAnnotation);
  if (wish == "disabled" || wish == "false") return std::string(kInjectAnnotation) + ": " + wish;
  return reason_of_pod(resource, *pod);
}

bool selects(const Node& selector, const Node* labels) {
  if (!selector.is_map() || selector.entries.empty() || labels == nullptr) return false;
  return std::ranges::all_of(selector.all_entries(), [labels](const Entry* wanted) {
    const Node* const value = labels->find(wanted->key.text);
    return value != nullptr && value->is_scalar() && value->text == wanted->value.text;
  });
}

std::string annotation_of(const Resource& resource, std::string_view key) {
  const Node* const pod = pod_of(resource);
  for (const Node* holder : {resource.root, pod}) {
    if (holder == nullptr) continue;
    std::string text = entry_text(holder->at("metadata/annotations"), key);
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace bellows::injector
