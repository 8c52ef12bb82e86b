// The settings of one workload, and its policies for single containers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/recommender_settings.hpp"
#include "recommender/core/recommendation.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// Name for all containers without a policy of their own.
inline constexpr std::string_view kEveryContainer = "*";

/// VPA's containerPolicies entry: for one container, or for kEveryContainer.
struct ContainerPolicy {
  ContainerName container;
  bool is_off = false;       ///< mode Off: no recommendation
  Amounts min_allowed = {};  ///< 0 counts as unset
  /// Takes precedence over min_allowed.
  Amounts max_allowed = {};
  bool controls_cpu = true;  ///< controlledResources
  bool controls_memory = true;

  bool operator==(const ContainerPolicy&) const = default;
};

struct WorkloadSettings {
  config::RecommenderSettings settings;
  std::vector<ContainerPolicy> containers;

  /// Annotations of the workload that override settings of the spike rule. Keys:
  /// "recommender.bellows.dev/scale-up-factor" for every container,
  /// "recommender.bellows.dev/app_scale-up-factor" for the container app; other domains are
  /// ignored.
  std::map<std::string, std::string> annotations;
};

/// Returns the errors that can be found before any container is known: a minimum above its maximum,
/// negative amounts, two policies for one name, invalid annotations. Empty: valid.
std::vector<Error> validation_errors(const WorkloadSettings& settings);

/// The settings of one container, resolved when it is first seen.
struct ContainerSettings {
  config::SpikeSettings spike;
  ContainerPolicy policy;
};

/// Returns the policy of the container, or that of "*", or one without restrictions.
ContainerPolicy policy_of(const ContainerName& container,
                          const std::vector<ContainerPolicy>& policies);

/// Resolves the settings. It ignores annotations that validation_errors() rejects.
ContainerSettings settings_of(const ContainerName& container, const WorkloadSettings& settings);

}  // namespace bellows::recommender
