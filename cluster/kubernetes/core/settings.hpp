// The settings of a Revision: from annotations and spec.scaling to RevisionSettings.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "config/reach.hpp"
#include "config/revision_settings.hpp"

namespace bellows::cluster {

/// Names with texts: annotations, or settings.
using Texts = std::vector<std::pair<std::string, std::string>>;

/// The sources of one Revision's settings. Later members win over earlier ones; within one object
/// bellows.dev/ wins over Knative's prefixes. The target wins over its pod template, because it can
/// be annotated without a rollout, so an operator can always override what was shipped.
struct SettingsTexts {
  std::string target;  ///< for errors: "Deployment web"
  std::span<const std::pair<std::string, std::string>> template_annotations;
  std::span<const std::pair<std::string, std::string>> target_annotations;
  std::span<const std::pair<std::string, std::string>> scaling;  ///< of spec.scaling, in camelCase
};

/// Checks a condition on settings that another room knows; the error's culprit is "policy", or
/// begins with "autoscaling".
using SettingsCheck = std::function<Result<void>(const config::RevisionSettings&)>;

/// The settings, or all problems. The culprit of each names the object and the key: "Deployment
/// web, annotation bellows.dev/min-scale", "spec.scaling.minScale". Unknown keys below bellows.dev/
/// are problems, with a suggestion; unknown keys of Knative are ignored, because Knative writes
/// some itself.
struct SettingsRead {
  std::optional<config::RevisionSettings> settings;
  /// The settings that a source has and queue-proxies take, by their names of them.
  config::SettingTexts of_queue_proxies;
  std::vector<Error> problems;
};
SettingsRead read_settings(const SettingsTexts& texts, const SettingsCheck& check = {});

/// Returns the settings among `texts` that queue-proxies take, by their names of them.
Texts texts_of_queue_proxies(const Texts& texts);

/// Converts settings to the texts of status.settings, and back. nullopt if a newer program wrote
/// them and they are not valid here.
Texts good_settings_texts(const config::RevisionSettings& settings);
std::optional<config::RevisionSettings> good_settings(const Texts& texts);

/// Returns the problems in one line, for a condition.
std::string problems_line(const std::vector<Error>& problems);

}  // namespace bellows::cluster
