// How much of the load is known.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// True if the known seconds of the stable window cover nine tenths of `duration`: a source that
/// paused briefly on a busy machine must not keep a revision from scaling to zero.
inline bool knows(const Observation& seen, Duration duration) {
  constexpr double kEnough = 0.9;
  return seen.stable.covered_seconds >= kEnough * to_seconds(duration);
}

/// True if there was load within the windows or a request waits.
inline bool has_load(const Observation& seen) {
  return seen.stable.total > 0 || seen.panic.total > 0 || seen.waiting > 0;
}

}  // namespace bellows::autoscaler
