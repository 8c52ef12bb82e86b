// The settings of one VerticalPodAutoscaler: those of the program, its annotations, its policies.
#pragma once

#include <memory>
#include <string>

#include "config/recommender_settings.hpp"
#include "recommender/core/workload_settings.hpp"
#include "recommender/kubernetes/core/vertical_autoscaler.hpp"

namespace bellows::recommender {

struct ObjectSettings {
  std::shared_ptr<const WorkloadSettings> settings;  // shared by the policies of the object
  std::string problem;                               ///< what is not used, and why; empty: nothing
};

/// Every setting of a policy may be overridden by an annotation,
/// "recommender.bellows.dev/hybrid-memory-percentile"; those of the spike rule also for one
/// container (workload_settings.hpp). If one of them is not valid, none is used. A minimum above
/// its maximum is a problem too; the maximum is in force, as with VPA.
ObjectSettings settings_of(const VerticalAutoscaler& object,
                           const config::RecommenderSettings& program);

}  // namespace bellows::recommender
