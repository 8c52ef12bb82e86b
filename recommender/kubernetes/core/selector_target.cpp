#include "recommender/kubernetes/core/selector_target.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kubernetes/core/fields.hpp"

namespace bellows::recommender {

namespace {

using kubernetes::Fields;
using kubernetes::Selector;

struct GroupKind {
  std::string_view group;
  std::string_view kind;
  bool operator==(const GroupKind&) const = default;
};

constexpr std::array<GroupKind, 7> kKinds = {{{"apps", "Deployment"},
                                              {"apps", "StatefulSet"},
                                              {"apps", "ReplicaSet"},
                                              {"apps", "DaemonSet"},
                                              {"batch", "Job"},
                                              {"batch", "CronJob"},
                                              {"", "ReplicationController"}}};

bool is_known(std::string_view api_version, std::string_view kind) {
  const auto slash = api_version.find('/');
  const auto group = slash == std::string_view::npos ? "" : api_version.substr(0, slash);
  return std::ranges::find(kKinds, GroupKind{group, kind}) != kKinds.end();
}

std::optional<Selector> read_selector(const Fields& spec) {
  if (spec.has("jobTemplate")) {
    const Fields labels =
        spec.object("jobTemplate").object("spec").object("template").object("metadata");
    return Selector::of_map(labels.map("labels"));
  }
  if (!spec.has("selector")) return std::nullopt;
  const Fields selector = spec.object("selector");
  const bool is_selector = selector.has("matchLabels") || selector.has("matchExpressions");
  return is_selector ? Selector::read(selector) : Selector::of_map(spec.map("selector"));
}

}  // namespace

const kubernetes::FieldSet& SelectorTarget::fields() {
  static const kubernetes::FieldSet kFields = [] {
    kubernetes::FieldSet fields{"/spec/selector",
                                "/spec/jobTemplate/spec/template/metadata/labels"};
    kubernetes::keep_pod_meta(fields);
    return fields;
  }();
  return kFields;
}

Result<SelectorTarget> SelectorTarget::from(const boost::json::object& pruned) {
  return kubernetes::read_document(pruned, "target", [](const Fields& object) {
    return SelectorTarget{.meta = kubernetes::read_meta(object),
                          .selector = read_selector(object.object("spec"))};
  });
}

bool has_selector(const kubernetes::ScaleTargetRef& target) {
  return is_known(target.api_version, target.kind);
}

TargetSelector unreadable(const std::string& reason) {
  return {.selector = {}, .unsupported = "Cannot read targetRef. Reason: " + reason};
}

TargetSelector selector_of(const SelectorTarget* found, std::string_view ns,
                           const kubernetes::ScaleTargetRef& name) {
  const std::string text = name.kind + " " + kubernetes::object_key(ns, name.name);
  if (found == nullptr) return unreadable(text + " does not exist");
  const kubernetes::OwnerReference* owner = found->meta.controller();
  if (owner != nullptr && is_known(owner->api_version, owner->kind)) {
    return {.selector = {},
            .unsupported = "The target " + name.api_version + "." + name.kind + "/" + name.name +
                           " has a parent controller but it should point to a topmost well-known "
                           "or scalable controller: " +
                           owner->kind + " " + owner->name};
  }
  if (!found->selector || found->selector->empty()) return unreadable(text + " has no selector");
  return {.selector = found->selector, .unsupported = {}};
}

}  // namespace bellows::recommender
