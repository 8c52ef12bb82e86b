// A decider's memory on another time line.
#pragma once

#include "autoscaler/core/state/decider_state.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::journal {

/// Returns the same memory with every instant `by` later.
DeciderState moved(const DeciderState& state, Duration by);

}  // namespace bellows::autoscaler::journal
