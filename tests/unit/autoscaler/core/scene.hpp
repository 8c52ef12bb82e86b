// Short ways to say what a decider sees.
#pragma once

#include <chrono>
#include <utility>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/core/rules/fresh_start.hpp"
#include "config/revision_schema.hpp"

namespace bellows::autoscaler::test {

using std::chrono::seconds;

/// Instants of a story: whole seconds after a beginning that is a day after boot.
inline TimePoint at(std::int64_t second) {
  return TimePoint(std::chrono::hours(24)) + seconds(second);
}

/// Target 10 (total 13.33, utilisation 75 %), threshold 2, up- and down-rate 10, window 60 s: the
/// settings of knative.md 7.1, with the rules of profile bellows but a fixed utilisation, asked for
/// as any one may: numbers that can be worked out in the head.
inline ScalingSpec spec_with_target(double target) {
  ScalingSpec spec;
  spec.target = target;
  spec.total = target / 0.75;
  spec.target_burst_capacity = 100;
  spec.max_scale_down_rate = 10;
  spec.initial_scale = 0;
  spec.rules.headroom = config::Headroom::kUtilization;
  spec.rules.early_scale_up = config::EarlyScaleUp::kWindow;
  spec.rules.keep_alive = config::KeepAlive::kWindow;
  return spec;
}

/// What a profile makes of the defaults.
inline ScalingSpec spec_of(const char* profile) {
  const config::Layer layer = {config::flag("profile", profile)};
  return scaling_spec(config::revision_schema().apply({layer}).value());
}

/// `pods` serve and report, as many are requested, the whole window is known.
inline Observation load(double stable, double panic, PodCount pods) {
  Observation seen;
  seen.stable = {.total = stable, .per_pod = pods > 0 ? stable / pods : 0, .covered_seconds = 60};
  seen.panic = {.total = panic, .per_pod = pods > 0 ? panic / pods : 0, .covered_seconds = 6};
  seen.observed = seen.in_window = seen.ready = seen.requested = pods;
  return seen;
}

inline DeciderState active_since(TimePoint since) {
  DeciderState state;
  state.activity = {Serving::kActive, since};
  state.last_load = since;
  return state;
}

inline DeciderState inactive_since(TimePoint since) {
  DeciderState state = active_since(since);
  state.activity.state = Serving::kInactive;
  return state;
}

/// Decisions one after the other, each with what came before it in mind.
class Story {
 public:
  explicit Story(DeciderState state = {}) : state_(std::move(state)) {}

  Decision decide(const ScalingSpec& spec, const Observation& seen, TimePoint now) {
    Decision decision = autoscaler::decide(spec, seen, state_, now);
    remember(state_, decision);
    return decision;
  }
  const DeciderState& state() const { return state_; }

 private:
  DeciderState state_;
};

inline DeciderState panicking_since(TimePoint since, PodCount max) {
  DeciderState state;
  state.panic = Panic{.since = since, .last_over = since};
  state.panic_max = max;
  return state;
}

}  // namespace bellows::autoscaler::test
