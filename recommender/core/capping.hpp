// What happens to a size after it was estimated: rounding, whole cores, least and most.
#pragma once

#include "config/recommender_settings.hpp"
#include "recommender/core/recommendation.hpp"
#include "recommender/core/workload_settings.hpp"

namespace bellows::recommender {

/// VPA's order: rounded up to multiples and to whole cores (every size), what is not controlled
/// left out, then the least and the most allowed (never the uncapped target). What changed the
/// target is noted in the reasons. Source: VPA, routines/capping_post_processor.go.
void post_process(Sizes& sizes, Reason& cpu, Reason& memory, const ContainerSettings& container,
                  const config::RecommenderSettings& settings);

}  // namespace bellows::recommender
