// Post-processing of estimated sizes: minAllowed and maxAllowed.
#pragma once

#include "recommender/core/recommendation.hpp"
#include "recommender/core/workload_settings.hpp"

namespace bellows::recommender {

/// The chains that record changes of the sizes of one resource; nullptr: not recorded.
struct CappingChains {
  Chain* target = nullptr;
  Chain* lower_bound = nullptr;
  Chain* upper_bound = nullptr;
};

/// Processes sizes as VPA does: resources that are not controlled are dropped, then minAllowed and
/// maxAllowed apply, except to the uncapped target. Source: VPA,
/// routines/capping_post_processor.go.
void post_process(Sizes& sizes, const CappingChains& cpu, const CappingChains& memory,
                  const ContainerPolicy& policy);

}  // namespace bellows::recommender
