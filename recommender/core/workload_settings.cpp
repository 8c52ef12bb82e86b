#include "recommender/core/workload_settings.hpp"

#include <set>
#include <utility>

#include "base/quantity_text.hpp"
#include "config/layer.hpp"

namespace bellows::recommender {

namespace {

constexpr std::string_view kDomain = "recommender.bellows.dev/";

/// Container and setting of "recommender.bellows.dev/app_scale-up-factor".
struct Annotation {
  std::string_view container;  ///< empty: every one
  std::string_view setting;
};

std::optional<Annotation> annotation(std::string_view key) {
  if (!key.starts_with(kDomain)) return std::nullopt;
  key.remove_prefix(kDomain.size());
  const std::size_t split = key.find('_');
  if (split == std::string_view::npos) return Annotation{{}, key};
  return Annotation{key.substr(0, split), key.substr(split + 1)};
}

config::Entry entry_of(const std::string& key, std::string_view setting, const std::string& value) {
  return {.source = config::Source::kFile,
          .key = std::string(setting),
          .value = value,
          .place = "annotation " + key,
          .problem = {}};
}

/// Returns the layers. Annotations for every container are first, because those for one container
/// take precedence.
std::vector<config::Layer> spike_layers(const ContainerName& container,
                                        const WorkloadSettings& settings) {
  std::vector<config::Layer> layers(3);
  for (const auto& [name, value] : config::spike_schema().texts(settings.settings.spike)) {
    layers[0].push_back(config::flag(name, value));
  }
  for (const auto& [key, value] : settings.annotations) {
    const auto read = annotation(key);
    if (!read) continue;
    if (read->container.empty()) layers[1].push_back(entry_of(key, read->setting, value));
    if (read->container == container.text()) {
      layers[2].push_back(entry_of(key, read->setting, value));
    }
  }
  return layers;
}

template <class Unit>
void validate_range(const std::string& culprit, std::string_view resource,
                    const std::optional<Unit>& min, const std::optional<Unit>& max,
                    std::vector<Error>& errors) {
  const auto add_error = [&](std::string_view field, Unit value, const std::string& want) {
    errors.emplace_back(ErrorKind::kInvalidSetting, culprit,
                        std::string(field) + " " + std::string(resource) + " " + to_string(value) +
                            ": want " + want);
  };
  if (min && min->value < 0) add_error("min-allowed", *min, "0 or more");
  if (max && max->value < 0) add_error("max-allowed", *max, "0 or more");
  if (min && max && max->value > 0 && min->value > max->value) {
    add_error("min-allowed", *min, "at most max-allowed, which is " + to_string(*max));
  }
}

void validate_policy(const WorkloadSettings& settings, std::vector<Error>& errors) {
  std::set<ContainerName> seen;
  for (const ContainerPolicy& policy : settings.containers) {
    const std::string culprit = "container policy " + policy.container.text();
    if (!seen.insert(policy.container).second) {
      errors.emplace_back(ErrorKind::kInvalidSetting, culprit,
                          "it is listed twice; want one policy per container");
    }
    validate_range(culprit, "cpu", policy.min_allowed.cpu, policy.max_allowed.cpu, errors);
    validate_range(culprit, "memory", policy.min_allowed.memory, policy.max_allowed.memory, errors);
  }
}

void validate_annotation(const WorkloadSettings& settings, std::vector<Error>& errors) {
  std::set<ContainerName> containers{ContainerName()};
  for (const auto& [key, value] : settings.annotations) {
    if (const auto read = annotation(key)) containers.emplace(read->container);
  }
  for (const ContainerName& container : containers) {
    const auto spike = config::spike_schema().apply(spike_layers(container, settings));
    if (spike) continue;
    errors.insert(errors.end(), spike.error().begin(), spike.error().end());
    if (container.empty()) return;  // every container would repeat it
  }
}

}  // namespace

std::vector<Error> validation_errors(const WorkloadSettings& settings) {
  std::vector<Error> errors;
  validate_policy(settings, errors);
  validate_annotation(settings, errors);
  return errors;
}

ContainerPolicy policy_of(const ContainerName& container,
                          const std::vector<ContainerPolicy>& policies) {
  ContainerPolicy policy;
  for (const ContainerPolicy& candidate : policies) {
    if (candidate.container == container) return candidate;
    if (candidate.container.text() == kEveryContainer) policy = candidate;
  }
  return policy;
}

ContainerSettings settings_of(const ContainerName& container, const WorkloadSettings& settings) {
  ContainerSettings resolved{settings.settings.spike, policy_of(container, settings.containers)};
  if (settings.annotations.empty()) return resolved;
  if (auto spike = config::spike_schema().apply(spike_layers(container, settings))) {
    resolved.spike = *std::move(spike);
  }
  return resolved;
}

}  // namespace bellows::recommender
