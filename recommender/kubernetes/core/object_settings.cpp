#include "recommender/kubernetes/core/object_settings.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "config/layer.hpp"

namespace bellows::recommender {

namespace {

constexpr std::string_view kDomain = "recommender.bellows.dev/";

/// Returns the annotations for one container, which the spike rule reads itself.
std::map<std::string, std::string> container_annotations(const VerticalAutoscaler& object) {
  std::map<std::string, std::string> annotations;
  for (const auto& [key, value] : object.meta.annotations) {
    if (key.starts_with(kDomain) && key.find('_', kDomain.size()) != std::string::npos) {
      annotations.emplace(key, value);
    }
  }
  return annotations;
}

/// Returns the annotations for the whole object as settings.
config::Layer object_layer(const VerticalAutoscaler& object) {
  config::Layer layer;
  for (const auto& [key, value] : object.meta.annotations) {
    if (!key.starts_with(kDomain) || key.find('_', kDomain.size()) != std::string::npos) continue;
    layer.push_back({.source = config::Source::kFile,
                     .key = key.substr(kDomain.size()),
                     .value = value,
                     .place = "annotation " + key,
                     .problem = {}});
  }
  return layer;
}

config::Layer program_layer(const config::RecommenderSettings& program) {
  config::Layer layer;
  for (const auto& [name, value] : config::recommender_schema().texts(program)) {
    layer.push_back(config::flag(name, value));
  }
  return layer;
}

}  // namespace

ObjectSettings settings_of(const VerticalAutoscaler& object,
                           const config::RecommenderSettings& program) {
  WorkloadSettings made{.settings = program, .containers = object.containers, .annotations = {}};
  std::string problem;
  const auto tell = [&problem](const Error& error) {
    if (problem.empty()) problem = to_string(error);
  };
  if (config::Layer layer = object_layer(object); !layer.empty()) {
    auto settings = config::recommender_schema().apply({program_layer(program), std::move(layer)});
    if (settings) {
      made.settings = *std::move(settings);
    } else {
      tell(settings.error().front());
    }
  }
  made.annotations = container_annotations(object);
  const std::vector<Error> errors = validation_errors(made);
  for (const Error& error : errors) tell(error);
  return {.settings = std::make_shared<const WorkloadSettings>(std::move(made)),
          .problem = std::move(problem)};
}

}  // namespace bellows::recommender
