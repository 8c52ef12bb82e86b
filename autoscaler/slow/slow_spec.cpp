#include "autoscaler/slow/slow_spec.hpp"

#include <algorithm>

namespace bellows::autoscaler::slow {

SlowSpec slow_spec(const config::RevisionSettings& settings, double share) {
  SlowSpec spec;
  spec.share = share;
  spec.goal = settings.slow_brain.goal();
  spec.window = settings.slow_brain.latency_window;
  spec.min = settings.slow_brain.target_min;
  spec.max = settings.slow_brain.target_max;
  spec.hard_limit = settings.container_concurrency;
  if (spec.hard_limit > 0) spec.max = std::min<double>(spec.max, spec.hard_limit);
  spec.configured = settings.total_target();
  spec.is_used = settings.slow_brain.mode == config::SlowBrain::kAuto;
  spec.is_configured = settings.target.has_value() || settings.container_concurrency > 0;
  return spec;
}

}  // namespace bellows::autoscaler::slow
