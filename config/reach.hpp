// What the settings of a service reach: those that its queue-proxies have too, and those that
// nothing enforces on Kubernetes. Both follow from the table. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/queue_proxy_settings.hpp"
#include "config/revision_settings.hpp"
#include "config/setting.hpp"

namespace bellows::config {

/// Names of settings with their values as text.
using SettingTexts = std::vector<std::pair<std::string, std::string>>;

/// A setting of services that their queue-proxies have too.
struct ProxySetting {
  std::string_view name;
  Place from;  ///< in RevisionSettings
  Place to;    ///< in QueueProxySettings
  Reach reach;
};

/// Returns them in the order of the table.
std::span<const ProxySetting> proxy_settings();
/// Returns nullptr if there is none of that name.
const ProxySetting* proxy_setting(std::string_view name);

/// Leaves the member of `to` as it is if the service has the setting unset.
void copy(const ProxySetting& setting, const RevisionSettings& from, QueueProxySettings& to);

/// A setting, and why it has no effect: one sentence without a full stop.
struct WithoutEffect {
  std::string setting;
  std::string because;
  bool operator==(const WithoutEffect&) const = default;
};

/// The facts about a Kubernetes cluster by which settings have an effect.
struct OnKubernetes {
  bool is_beside_hpa = false;  ///< a HorizontalPodAutoscaler decides the numbers above zero
  std::string_view without_usage = {};  ///< why the usage of pods is unknown; empty: it is measured
};

/// Returns the settings that differ from their defaults, and that nothing enforces on Kubernetes.
std::vector<WithoutEffect> without_effect_on_kubernetes(const RevisionSettings& settings,
                                                        const OnKubernetes& cluster);

/// Returns the first setting that differs from its default and that a Revision cannot have;
/// nullopt: there is none.
std::optional<WithoutEffect> refused_on_kubernetes(const RevisionSettings& settings);
/// Returns true if that setting is one that a Revision cannot have.
bool is_refused_on_kubernetes(std::string_view setting);

/// The names of settings that differ from their defaults and that activators alone enforce.
struct ActivatorsAlone {
  std::vector<std::string> without_replica;  ///< OfActivators::kWithoutReplica
  std::vector<std::string> always;
  bool operator==(const ActivatorsAlone&) const = default;
};
ActivatorsAlone of_activators_alone(const RevisionSettings& settings);

}  // namespace bellows::config
