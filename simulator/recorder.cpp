#include "simulator/recorder.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bellows::simulator {

using namespace std::chrono_literals;

Duration stretch_for(Duration whole) {
  constexpr std::int64_t kMaxStretches = 1500;
  static constexpr std::array<Duration, 10> kRound = {1s,  2s,   5s,   10s,  30s,
                                                      60s, 120s, 300s, 600s, 1800s};
  for (const Duration length : kRound) {
    if (whole / length <= kMaxStretches) return length;
  }
  return std::chrono::ceil<std::chrono::hours>(whole / kMaxStretches);
}

Recorder::Recorder(const Survey& limits, const Demand& demand) : limits_(limits), demand_(demand) {
  outcome.length = limits.length - limits.warm_up;
  outcome.offered_replica_seconds = demand.replica_seconds();
  outcome.stretch_length = stretch_for(outcome.length);
}

void Recorder::used(PodCount replicas, Duration at) {
  const Duration from = std::clamp(used_since_, limits_.warm_up, limits_.length);
  const Duration until = std::clamp(at, limits_.warm_up, limits_.length);
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

void Recorder::sample(const Sample& sample, Duration at) {
  if (!counts(at)) return;
  const auto second = static_cast<std::size_t>(at / 1s);
  const double filled = demand_.filled_by(sample.in_system, second);
  outcome.worst_overshoot =
      std::max(outcome.worst_overshoot, sample.used - static_cast<PodCount>(std::ceil(filled)));
  if (filled > sample.ready) ++outcome.seconds_over_target;
  if (sample.is_panic) ++outcome.panic_seconds;
  stretch_.offered += demand_.mean(second);
  stretch_.used += sample.used;
  stretch_.ready += sample.ready;
  stretch_.want += sample.want;
  stretch_.panic += sample.is_panic ? 1 : 0;
  if (++sampled_ >= to_seconds(outcome.stretch_length)) close_stretch();
}

void Recorder::close_stretch() {
  for (double* sum :
       {&stretch_.offered, &stretch_.used, &stretch_.ready, &stretch_.want, &stretch_.panic}) {
    *sum /= sampled_;
  }
  stretch_.p99_wait = stretch_waits_.percentile(0.99);
  stretch_.worst_wait = stretch_waits_.longest();
  outcome.stretches.push_back(stretch_);
  stretch_ = {};
  stretch_waits_.clear();
  sampled_ = 0;
}

Outcome Recorder::finish() {
  used(used_, limits_.length);
  if (sampled_ > 0) close_stretch();
  outcome.waits = {.p50 = waits_.percentile(0.5),
                   .p95 = waits_.percentile(0.95),
                   .p99 = waits_.percentile(0.99),
                   .p999 = waits_.percentile(0.999),
                   .worst = waits_.longest(),
                   .mean_seconds = waits_.mean(),
                   .waited = waits_.waited()};
  return std::move(outcome);
}

}  // namespace bellows::simulator
