#include "autoscaler/core/panic.hpp"

#include <algorithm>

namespace bellows::autoscaler {

double panic_ratio(const ScalingSpec& spec, const Observation& seen) {
  const PodCount serving = std::max<PodCount>(1, seen.observed + seen.silent);
  return seen.panic.total / (serving * spec.target);
}

std::optional<Panic> next_panic(const std::optional<Panic>& before, const ScalingSpec& spec,
                                const Observation& seen, TimePoint now) {
  const bool is_over = panic_ratio(spec, seen) >= spec.panic_threshold;
  if (!before) {
    if (!is_over) return std::nullopt;
    return Panic{.since = now, .last_over = now, .most = seen.requested};
  }
  if (is_over) return Panic{.since = before->since, .last_over = now, .most = before->most};
  if (now - before->last_over > spec.stable_window) return std::nullopt;
  return before;
}

}  // namespace bellows::autoscaler
