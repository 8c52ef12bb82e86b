// What holds for one workload: the settings, and what its owner says about single containers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/recommender_settings.hpp"
#include "recommender/core/recommendation.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// VPA's containerPolicies entry: for one container, or with the name "*" for all that have none.
struct ContainerPolicy {
  ContainerName container;
  bool is_off = false;       ///< mode Off: nothing is recommended for it
  Amounts min_allowed = {};  ///< 0 counts as not set
  Amounts max_allowed = {};  ///< wins over min_allowed and over the settings' own greatest
  bool controls_cpu = true;  ///< controlledResources
  bool controls_memory = true;
};

struct WorkloadSettings {
  config::RecommenderSettings settings;
  std::vector<ContainerPolicy> containers;

  /// Annotations of the workload that override settings of the spike rule. Keys:
  /// "recommender.bellows.dev/scale-up-factor" for every container,
  /// "recommender.bellows.dev/app_scale-up-factor" for the container app; other domains are
  /// somebody else's. VPA's "vpa-post-processor.kubernetes.io/app_integerCPU" is understood too.
  std::map<std::string, std::string> annotations;
};

/// What can be wrong before any container is known: contradictory least and most (an error, as a
/// problem of the settings would be), negative amounts, two policies for one name, annotations that
/// cannot be read. Empty: all is well.
std::vector<Error> problems_in(const WorkloadSettings& settings);

/// What was resolved for one container, once, when it was first seen.
struct ContainerSettings {
  config::SpikeSettings spike;
  ContainerPolicy policy;
  bool whole_cores = false;
};

/// Annotations that problems_in() refuses are left out here.
ContainerSettings settings_of(const ContainerName& container, const WorkloadSettings& settings);

}  // namespace bellows::recommender
