#include "autoscaler/core/scale_to_zero.hpp"

#include "autoscaler/core/known_window.hpp"

namespace bellows::autoscaler {
namespace {

bool has_load(const Observation& seen) {
  return seen.stable.total > 0 || seen.panic.total > 0 || seen.waiting > 0;
}

}  // namespace

std::optional<TimePoint> next_idle_since(const std::optional<TimePoint>& before,
                                         const ScalingSpec& spec, const Observation& seen,
                                         bool is_fresh, TimePoint now) {
  if (has_load(seen)) return std::nullopt;
  const bool is_known = seen.silent == 0 && knows(seen, spec.stable_window);
  if (!is_known) return is_fresh ? before : std::nullopt;
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
