#include "autoscaler/core/scale_to_zero.hpp"

#include "autoscaler/core/known_window.hpp"

namespace bellows::autoscaler {
namespace {

bool is_idle(const ScalingSpec& spec, const Observation& seen) {
  const bool has_load = seen.stable.total > 0 || seen.panic.total > 0 || seen.waiting > 0;
  return !has_load && seen.silent == 0 && knows(seen, spec.stable_window);
}

}  // namespace

std::optional<TimePoint> next_idle_since(const std::optional<TimePoint>& before,
                                         const ScalingSpec& spec, const Observation& seen,
                                         TimePoint now) {
  if (!is_idle(spec, seen)) return std::nullopt;
  return before ? before : now;
}

void keep_last_replica(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                       const std::optional<TimePoint>& idle_since, TimePoint now) {
  if (answer.pods > 0) return;
  // What is requested counts, not what is listed: a replica that leaves may be listed for a while.
  const bool is_at_zero = seen.requested == 0 && seen.stable.total == 0;
  const bool is_over = idle_since && now - *idle_since >= spec.scale_to_zero_grace_period;
  if (is_at_zero) {
    answer = {0, Rule::kAtZero};
  } else if (is_over) {
    answer = {0, Rule::kToZero};
  } else {
    answer = {1, Rule::kLastReplica};
  }
}

}  // namespace bellows::autoscaler
