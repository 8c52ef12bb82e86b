#include "autoscaler/core/rules/fresh_start.hpp"

#include <algorithm>

#include "autoscaler/core/rules/bounds.hpp"
#include "autoscaler/core/rules/burst_capacity.hpp"
#include "autoscaler/core/rules/unknown_load.hpp"

namespace bellows::autoscaler {
namespace {

std::optional<FreshStart> careful_start(const ScalingSpec& spec, const Observation& seen,
                                        std::optional<TimePoint> known_back_to, TimePoint now) {
  const bool is_careful = spec.rules.after_restart == config::AfterRestart::kHold;
  if (!is_careful || seen.requested == 0) return std::nullopt;
  return FreshStart{.since = now, .known_back_to = known_back_to};
}

Activity first_activity(const Observation& seen, TimePoint now) {
  if (seen.ready > 0) return {Serving::kActive, now};
  return {seen.requested > 0 ? Serving::kActivating : Serving::kInactive, now};
}

}  // namespace

DeciderState begin(const ScalingSpec& spec, const Observation& seen, TimePoint now) {
  DeciderState state;
  state.replicas = seen.requested;
  state.last_load = now;
  state.burst_capacity = planned_burst_capacity(spec);
  state.activity = first_activity(seen, now);
  state.is_initialised = seen.ready >= scale_to_reach_once(spec, seen);
  // Replicas that have not been ready yet have served nothing that could be missed.
  const auto known_back_to = seen.ready == 0 ? std::optional(now) : std::nullopt;
  state.fresh = careful_start(spec, seen, known_back_to, now);
  if (spec.is_seed) return state;
  state.panic_max = seen.ready;
  if (seen.ready > 1) state.panic = Panic{.since = now, .last_over = now};
  return state;
}

DeciderState begin_after(const DeciderState& earlier, const ScalingSpec& spec,
                         const Observation& seen, TimePoint now) {
  DeciderState state = begin(spec, seen, now);
  state.idle_times = earlier.idle_times;
  state.service_seconds = earlier.service_seconds;
  state.spread = earlier.spread;
  return state;
}

DeciderState resume(const DeciderState& saved, const ScalingSpec& spec, const Observation& seen,
                    TimePoint now) {
  DeciderState state = saved;
  state.fresh = careful_start(spec, seen, saved.known_back_to, now);
  return state;
}

std::optional<FreshStart> next_fresh(const std::optional<FreshStart>& before,
                                     const ScalingSpec& spec, const Observation& seen,
                                     TimePoint now) {
  if (!before) return std::nullopt;
  const Duration age = now - before->since;
  if (age >= spec.stable_window) return std::nullopt;
  const Duration needed = before->known_back_to
                              ? std::min(spec.stable_window, now - *before->known_back_to)
                              : spec.stable_window;
  const bool is_informed =
      age >= kEvaluationPeriod && seen.not_reporting == 0 && knows(seen, needed);
  return is_informed ? std::nullopt : before;
}

}  // namespace bellows::autoscaler
