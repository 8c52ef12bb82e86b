// How much of the load is known.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// True if the stable window's known seconds cover `span` but for a tenth: a source that paused for
/// a moment on a busy machine must not keep a revision from ever going to zero.
inline bool knows(const Observation& seen, Duration span) {
  constexpr double kEnough = 0.9;
  return seen.stable.covered_seconds >= kEnough * to_seconds(span);
}

/// True if replicas run and nothing is known about their load: every ready one is silent, or none
/// is ready yet and nobody, no activator either, said anything within the panic window.
inline bool is_blind(const Observation& seen) {
  if (seen.ready > 0) return seen.silent >= seen.ready;
  return seen.starting > 0 && seen.panic.covered_seconds == 0 && seen.waiting == 0;
}

}  // namespace bellows::autoscaler
