// A decider's memory on another time line.
#pragma once

#include "autoscaler/core/decider_state.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::journal {

/// The same memory with every instant `by` later.
DeciderState moved(const DeciderState& state, Duration by);

}  // namespace bellows::autoscaler::journal
