#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

ScalingSpec scaling_spec(const config::RevisionSettings& settings) {
  return {.target = settings.effective_target(),
          .total = settings.total_target(),
          .target_burst_capacity = settings.target_burst_capacity,
          .stable_window = settings.window,
          .panic_window = settings.panic_window(),
          .panic_threshold = settings.panic_threshold_percentage / 100,
          .max_scale_up_rate = settings.max_scale_up_rate,
          .min_scale = settings.min_scale,
          .max_scale = settings.max_scale,
          .enable_scale_to_zero = settings.enable_scale_to_zero,
          .scale_to_zero_grace_period = settings.scale_to_zero_grace_period};
}

}  // namespace bellows::autoscaler
