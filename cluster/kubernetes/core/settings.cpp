#include "cluster/kubernetes/core/settings.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cluster/kubernetes/core/names.hpp"
#include "config/revision_schema.hpp"
#include "config/suggestion.hpp"

namespace bellows::cluster {

namespace {

using config::Declaration;
using config::Entry;
using config::Layer;
using Annotations = std::span<const std::pair<std::string, std::string>>;

constexpr std::string_view kScalingPlace = "spec.scaling.";
constexpr std::array<std::string_view, 2> kKnativePrefixes = {"autoscaling.knative.dev/",
                                                              "serving.knative.dev/"};

const std::vector<Declaration>& declarations() {
  return config::revision_schema().declarations();
}

/// Returns the name of the setting `key`, also for a key in camelCase; empty if there is none.
std::string setting_name(std::string_view key) {
  for (const Declaration& declaration : declarations()) {
    if (declaration.name == key || config::camel_case(declaration.name) == key) {
      return declaration.name;
    }
  }
  return {};
}

/// kJson: the origin is place and key without anything between.
Entry entry(std::string place, std::string key, const std::string& value) {
  return {.source = config::Source::kJson,
          .key = std::move(key),
          .value = value,
          .place = std::move(place),
          .problem = {}};
}

/// Returns the keys of Knative that are settings of ours. They keep their prefix, which is part of
/// the alias.
Layer knative_layer(const std::string& place, Annotations annotations) {
  Layer layer;
  for (const auto& [key, value] : annotations) {
    const auto has_prefix = [&key = key](std::string_view prefix) {
      return key.starts_with(prefix);
    };
    if (std::ranges::none_of(kKnativePrefixes, has_prefix)) continue;
    if (config::find(declarations(), key) != nullptr) layer.push_back(entry(place, key, value));
  }
  return layer;
}

/// Returns all keys below bellows.dev/, unknown ones too, so that the schema reports them.
Layer bellows_layer(const std::string& place, Annotations annotations) {
  Layer layer;
  for (const auto& [key, value] : annotations) {
    if (!key.starts_with(kAnnotationPrefix)) continue;
    if (std::ranges::find(config::kNoSettings, key) != config::kNoSettings.end()) continue;
    const std::string rest = key.substr(kAnnotationPrefix.size());
    const bool is_known = config::find(declarations(), rest) != nullptr;
    const std::string name = is_known ? std::string() : setting_name(rest);
    layer.push_back(
        entry(place + std::string(kAnnotationPrefix), name.empty() ? rest : name, value));
  }
  return layer;
}

Layer scaling_layer(Annotations scaling) {
  Layer layer;
  for (const auto& [key, value] : scaling) {
    const std::string name = setting_name(key);
    layer.push_back(entry(std::string(kScalingPlace), name.empty() ? key : name, value));
  }
  return layer;
}

/// Returns a hint about an unknown annotation: it may mean one that is no setting, or the label.
std::string unknown_hint(const std::string& key) {
  if (key == kAutoscaleLabel) return "unknown setting; it is a label of the Deployment";
  std::vector<std::string> others(config::kNoSettings.begin(), config::kNoSettings.end());
  const std::string suggested = config::suggestion(key, others);
  return suggested.empty() ? std::string() : "unknown setting; did you mean " + suggested + "?";
}

/// Returns `problem` in the user's spelling of the key: spec.scaling has camelCase.
Error in_the_users_words(const Error& problem) {
  std::string culprit = problem.culprit();
  std::string message = problem.message();
  if (culprit.starts_with(kScalingPlace)) {
    culprit = std::string(kScalingPlace) + config::camel_case(culprit.substr(kScalingPlace.size()));
  } else if (message.starts_with("unknown setting")) {
    const std::string key = culprit.substr(culprit.rfind(' ') + 1);
    std::string hint = unknown_hint(key);
    if (!hint.empty() && message == "unknown setting") message = std::move(hint);
  }
  return {problem.kind(), std::move(culprit), std::move(message)};
}

/// Returns the settings that some layer has, with default values too: they win over those of a
/// manifest.
Texts given_to_queue_proxies(const config::RevisionSettings& settings,
                             std::span<const Layer> layers) {
  Texts texts;
  for (const config::ProxySetting& setting : config::proxy_settings()) {
    const auto is_it = [&](const Entry& entry) {
      return config::find(declarations(), entry.key)->name == setting.name;
    };
    const auto has_it = [&](const Layer& layer) { return std::ranges::any_of(layer, is_it); };
    if (std::ranges::none_of(layers, has_it)) continue;
    texts.emplace_back(setting.name, config::revision_schema().text(settings, setting.name));
  }
  return texts;
}

/// Returns the origin of the value in force; its name if it is in no layer.
std::string origin_of(std::string_view setting, std::span<const Layer> layers) {
  std::string found(setting);
  for (const Layer& layer : layers) {
    for (const Entry& entry : layer) {
      if (config::find(declarations(), entry.key)->name == setting) found = config::origin(entry);
    }
  }
  return found;
}

/// Reports a setting that only the owner of processes can apply.
std::optional<Error> machine_setting(const config::RevisionSettings& settings,
                                     std::span<const Layer> layers) {
  const auto refused = config::refused_on_kubernetes(settings);
  if (!refused) return std::nullopt;
  return Error(ErrorKind::kInvalidSetting, origin_of(refused->setting, layers),
               "\"" + config::revision_schema().text(settings, refused->setting) +
                   "\": want nothing on Kubernetes, where " + refused->because);
}

std::optional<Error> failed_check(const config::RevisionSettings& settings,
                                  std::span<const Layer> layers, const SettingsCheck& check) {
  const auto checked = check ? check(settings) : Result<void>();
  if (checked) return std::nullopt;
  const std::string& culprit = checked.error().culprit();
  const std::string setting(culprit.substr(0, culprit.find('.')));
  return Error(ErrorKind::kInvalidSetting,
               origin_of(setting, layers) + culprit.substr(setting.size()),
               checked.error().message());
}

}  // namespace

SettingsRead read_settings(const SettingsTexts& texts, const SettingsCheck& check) {
  const std::string of_template = texts.target + ", pod template, annotation ";
  const std::string of_target = texts.target + ", annotation ";
  const std::array<Layer, 5> layers = {knative_layer(of_template, texts.template_annotations),
                                       bellows_layer(of_template, texts.template_annotations),
                                       knative_layer(of_target, texts.target_annotations),
                                       bellows_layer(of_target, texts.target_annotations),
                                       scaling_layer(texts.scaling)};
  const auto settings = config::revision_schema().apply(layers);
  SettingsRead read;
  if (!settings) {
    for (const Error& problem : settings.error()) {
      read.problems.push_back(in_the_users_words(problem));
    }
    return read;
  }
  for (auto& problem :
       {machine_setting(*settings, layers), failed_check(*settings, layers, check)}) {
    if (problem) read.problems.push_back(in_the_users_words(*problem));
  }
  if (!read.problems.empty()) return read;
  read.settings = *settings;
  read.of_queue_proxies = given_to_queue_proxies(*settings, layers);
  return read;
}

Texts texts_of_queue_proxies(const Texts& texts) {
  Texts found;
  for (const auto& [name, text] : texts) {
    if (config::proxy_setting(name) != nullptr) found.emplace_back(name, text);
  }
  return found;
}

Texts good_settings_texts(const config::RevisionSettings& settings) {
  return config::revision_schema().texts(settings);
}

std::optional<config::RevisionSettings> good_settings(const Texts& texts) {
  Layer layer;
  for (const auto& [key, value] : texts) layer.push_back(entry("status.settings.", key, value));
  const auto settings = config::revision_schema().apply({layer});
  if (!settings) return std::nullopt;
  return *settings;
}

std::string problems_line(const std::vector<Error>& problems) {
  std::string line;
  for (const Error& problem : problems) {
    if (!line.empty()) line += "; ";
    line += to_string(problem);
  }
  return line;
}

}  // namespace bellows::cluster
