#include "simulator/recorder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace bellows::simulator {

using namespace std::chrono_literals;

Duration interval_for(Duration whole) {
  constexpr std::int64_t kMaxStretches = 1500;
  static constexpr std::array<Duration, 10> kRound = {1s,  2s,   5s,   10s,  30s,
                                                      60s, 120s, 300s, 600s, 1800s};
  for (const Duration length : kRound) {
    if (whole / length <= kMaxStretches) return length;
  }
  return std::chrono::ceil<std::chrono::hours>(whole / kMaxStretches);
}

Recorder::Recorder(const LoadProfile& profile, const Demand& demand,
                   const std::optional<config::LatencyGoal>& goal)
    : profile_(profile), demand_(demand), goal_(goal) {
  outcome.length = profile.length - profile.warm_up;
  outcome.offered_replica_seconds = demand.replica_seconds();
  outcome.interval_length = interval_for(outcome.length);
}

void Recorder::used(PodCount replicas, Duration at) {
  const Duration from = std::clamp(used_since_, profile_.warm_up, profile_.length);
  const Duration until = std::clamp(at, profile_.warm_up, profile_.length);
  outcome.replica_seconds += used_ * to_seconds(until - from);
  if (until > from) outcome.max_replicas = std::max(outcome.max_replicas, used_);
  used_ = replicas;
  used_since_ = at;
}

void Recorder::ordered(PodCount more, Duration at) {
  if (!counts(at)) return;
  ++outcome.scale_changes;
  outcome.starts += static_cast<std::uint64_t>(std::max(more, 0));
}

void Recorder::responded(Duration after, bool is_lost) {
  if (!is_lost) responses_.record(after);
  ++ended_;
  if (goal_ && (is_lost || after >= goal_->limit)) ++late_;
}

void Recorder::sample(const Sample& sample, Duration at) {
  const auto ended = static_cast<double>(std::exchange(ended_, 0));
  const auto late = static_cast<double>(std::exchange(late_, 0));
  if (!counts(at)) return;
  if (ended > 0) ++outcome.seconds_with_responses;
  if (goal_ && late > (1 - goal_->quantile) * ended) ++outcome.seconds_over_goal;
  const auto second = static_cast<std::size_t>(at / 1s);
  const double filled = demand_.filled_by(sample.in_system, second);
  outcome.worst_overshoot =
      std::max(outcome.worst_overshoot, sample.used - static_cast<PodCount>(std::ceil(filled)));
  if (filled > sample.ready) ++outcome.seconds_over_target;
  outcome.idle_seconds += sample.idle;
  if (sample.is_panic) ++outcome.panic_seconds;
  interval_.offered += demand_.mean(second);
  interval_.used += sample.used;
  interval_.ready += sample.ready;
  interval_.desired += sample.desired;
  interval_.panic += sample.is_panic ? 1 : 0;
  if (++sampled_ >= to_seconds(outcome.interval_length)) close_interval();
}

void Recorder::close_interval() {
  for (double* sum : {&interval_.offered, &interval_.used, &interval_.ready, &interval_.desired,
                      &interval_.panic}) {
    *sum /= sampled_;
  }
  interval_.p99_wait = interval_waits_.percentile(0.99);
  interval_.worst_wait = interval_waits_.longest();
  outcome.intervals.push_back(interval_);
  interval_ = {};
  interval_waits_.clear();
  sampled_ = 0;
}

Outcome Recorder::finish() {
  used(used_, profile_.length);
  if (sampled_ > 0) close_interval();
  outcome.waits = {.p50 = waits_.percentile(0.5),
                   .p95 = waits_.percentile(0.95),
                   .p99 = waits_.percentile(0.99),
                   .p999 = waits_.percentile(0.999),
                   .worst = waits_.longest(),
                   .mean_seconds = waits_.mean(),
                   .waited = waits_.waited()};
  outcome.p50_response = responses_.percentile(0.5);
  outcome.p95_response = responses_.percentile(0.95);
  return std::move(outcome);
}

}  // namespace bellows::simulator
