// How much of the load is known.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// True if the stable window's known seconds cover `duration` but for a tenth: a source that paused
/// for a moment on a busy machine must not keep a revision from ever going to zero.
inline bool knows(const Observation& seen, Duration duration) {
  constexpr double kEnough = 0.9;
  return seen.stable.covered_seconds >= kEnough * to_seconds(duration);
}

/// True if there was load within the windows or somebody waits.
inline bool has_load(const Observation& seen) {
  return seen.stable.total > 0 || seen.panic.total > 0 || seen.waiting > 0;
}

}  // namespace bellows::autoscaler
