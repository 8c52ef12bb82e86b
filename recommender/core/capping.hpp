// What happens to a size after it was estimated: rounding, whole cores, least and most.
#pragma once

#include "config/recommender_settings.hpp"
#include "recommender/core/recommendation.hpp"
#include "recommender/core/workload_settings.hpp"

namespace bellows::recommender {

/// Where it is noted what changed the sizes of one resource; nullptr: nowhere.
struct Notes {
  Chain* target = nullptr;
  Chain* lower_bound = nullptr;
  Chain* upper_bound = nullptr;
};

/// VPA's order: rounded up to multiples and to whole cores (every size), what is not controlled
/// left out, then the least and the most allowed (never the uncapped target). Source: VPA,
/// routines/capping_post_processor.go.
void post_process(Sizes& sizes, const Notes& cpu, const Notes& memory,
                  const ContainerSettings& container, const config::RecommenderSettings& settings);

}  // namespace bellows::recommender
