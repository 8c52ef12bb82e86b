// Short ways to say what a decider sees.
#pragma once

#include <chrono>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/core/fresh_start.hpp"

namespace bellows::autoscaler::test {

using std::chrono::seconds;

/// Instants of a story: whole seconds after a beginning that is a day after boot.
inline TimePoint at(std::int64_t second) {
  return TimePoint(std::chrono::hours(24)) + seconds(second);
}

/// Target 10 (total 13.33, utilisation 75 %), threshold 2, up-rate 10, window 60 s: the settings of
/// knative.md 7.1 as far as these rules have them.
inline ScalingSpec spec_with_target(double target) {
  ScalingSpec spec;
  spec.target = target;
  spec.total = target / 0.75;
  spec.target_burst_capacity = 100;
  return spec;
}

/// `pods` serve and report, as many are requested, the whole window is known.
inline Observation load(double stable, double panic, PodCount pods) {
  Observation seen;
  seen.stable = {.total = stable, .per_pod = pods > 0 ? stable / pods : 0, .covered_seconds = 60};
  seen.panic = {.total = panic, .per_pod = pods > 0 ? panic / pods : 0, .covered_seconds = 6};
  seen.observed = seen.ready = seen.requested = pods;
  return seen;
}

inline DeciderState panicking_since(TimePoint since, PodCount most) {
  DeciderState state;
  state.panic = Panic{.since = since, .last_over = since, .most = most};
  return state;
}

}  // namespace bellows::autoscaler::test
