#include "injector/core/settings.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "config/reach.hpp"
#include "config/revision_schema.hpp"
#include "config/suggestion.hpp"
#include "injector/core/names.hpp"

namespace bellows::injector {

namespace {

using config::Declaration;
using config::kAnnotationPrefix;
using config::kNoSettings;
using config::Layer;

/// The name of the shared setting that `key` means; empty: none.
std::string shared_name(std::string_view key) {
  for (const Declaration& declared : config::revision_schema().declarations()) {
    if (config::proxy_setting(declared.name) == nullptr) continue;
    const bool is_it = declared.name == key || config::camel_case(declared.name) == key ||
                       std::ranges::find(declared.aliases, key) != declared.aliases.end();
    if (is_it) return declared.name;
  }
  return {};
}

Layer layer_of(const Node* annotations, bool is_knative) {
  Layer layer;
  if (annotations == nullptr) return layer;
  for (const Entry* const entry : annotations->all_entries()) {
    const std::string_view key = entry->key.text;
    if (key.starts_with(kAnnotationPrefix) == is_knative || !entry->value.is_scalar()) continue;
    // Of Knative's only the annotations, not names without a prefix.
    if (is_knative && key.find(".knative.dev/") == std::string_view::npos) continue;
    const std::string name = shared_name(is_knative ? key : key.substr(kAnnotationPrefix.size()));
    if (name.empty()) continue;
    layer.push_back(
        {.source = config::Source::kJson,
         .key = std::string(is_knative ? key : std::string_view(name)),
         .value = entry->value.text,
         .place = is_knative ? "annotation " : "annotation " + std::string(kAnnotationPrefix),
         .problem = {}});
  }
  return layer;
}

/// `key` has the prefix of settings.
bool is_known(std::string_view key) {
  if (std::ranges::find(kNoSettings, key) != kNoSettings.end()) return true;
  const std::vector<Declaration>& all = config::revision_schema().declarations();
  const std::string_view name = key.substr(kAnnotationPrefix.size());
  if (config::find(all, name) != nullptr) return true;
  return std::ranges::any_of(all, [name](const Declaration& declared) {
    return config::camel_case(declared.name) == name;
  });
}

/// Returns true for a value that the annotation about injection may have.
bool is_wish(std::string_view value) {
  constexpr std::string_view kWishes[] = {"enabled", "true", "disabled", "false"};
  return std::ranges::find(kWishes, value) != std::end(kWishes);
}

/// What is said behind the key.
std::string hint_about(std::string_view key) {
  if (key == kAutoscaleLabel) return " means nothing: it is a label of a Deployment";
  std::vector<std::string> known;
  for (const std::string_view other : kNoSettings) {
    known.emplace_back(other.substr(kAnnotationPrefix.size()));
  }
  for (const Declaration& declared : config::revision_schema().declarations()) {
    known.push_back(declared.name);
  }
  const std::string meant = config::suggestion(key.substr(kAnnotationPrefix.size()), known);
  return " means nothing" +
         (meant.empty() ? "" : "; did you mean " + std::string(kAnnotationPrefix) + meant + "?");
}

}  // namespace

std::vector<std::string> wrong_annotations(const Resource& workload) {
  std::vector<std::string> lines;
  std::vector<const Node*> holders = {workload.root};
  if (pod_of(workload) != workload.root) holders.push_back(pod_of(workload));
  for (const Node* const holder : holders) {
    const Node* const annotations = holder->at("metadata/annotations");
    if (annotations == nullptr) continue;
    for (const Entry* const entry : annotations->all_entries()) {
      const std::string_view key = entry->key.text;
      if (key == kInjectAnnotation && !is_wish(entry->value.text)) {
        lines.push_back("annotation " + std::string(key) + " is \"" + entry->value.text +
                        "\": want enabled or disabled");
      }
      if (!key.starts_with(kAnnotationPrefix) || is_known(key)) continue;
      lines.push_back("annotation " + std::string(key) + hint_about(key));
    }
  }
  return lines;
}

Result<void> read_settings(const Resource& workload, config::QueueProxySettings& settings) {
  const Node* const of_pods = pod_of(workload)->at("metadata/annotations");
  const Node* const own = workload.root->at("metadata/annotations");
  const std::vector<Layer> layers = {layer_of(of_pods, true), layer_of(of_pods, false),
                                     layer_of(own, true), layer_of(own, false)};
  const auto read = config::revision_schema().apply(layers);
  if (!read) return fail(read.error().front());
  for (const config::ProxySetting& shared : config::proxy_settings()) {
    config::copy(shared, *read, settings);
  }
  return {};
}

}  // namespace bellows::injector
