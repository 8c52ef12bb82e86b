#include "recommender/core/aggregate.hpp"

#include <algorithm>
#include <chrono>

#include "recommender/core/go_arithmetic.hpp"

namespace bellows::recommender {

void Aggregate::add_cpu(double cores, double weight, WallTime at) {
  cpu.add(cores, weight, at);
  if (samples == 0 || at < first_sample) first_sample = at;
  last_sample = std::max(last_sample, at);
  ++samples;
}

void Aggregate::merge(Aggregate& other) {
  cpu.merge(other.cpu);
  memory.merge(other.memory);
  if (other.samples == 0) return;
  first_sample = samples == 0 ? other.first_sample : std::min(first_sample, other.first_sample);
  last_sample = std::max(last_sample, other.last_sample);
  samples += other.samples;
}

double Aggregate::confidence(Duration interval) const {
  if (samples == 0) return 0;
  const double lifespan = static_cast<double>((last_sample - first_sample).count()) /
                          static_cast<double>(interval.count());
  const double minutes = std::chrono::duration<double, std::ratio<60>>(interval).count();
  return std::min(lifespan, static_cast<double>(samples) / minutes);
}

void MemoryPeaks::add(Histogram& histogram, std::int64_t bytes, WallTime at, Duration interval) {
  take(histogram, bytes, at, interval, false);
}

void MemoryPeaks::take(Histogram& histogram, std::int64_t bytes, WallTime at, Duration interval,
                       bool is_oom) {
  state_.last_sample = at;
  if (state_.window_end == Histogram::kNever) state_.window_end = at;
  if (at < state_.window_end) {
    const std::int64_t old = highest();
    if (old == 0 || bytes <= old) return;
    histogram.subtract(static_cast<double>(old), 1, state_.window_end);
  } else {
    const Duration late = at - state_.window_end;
    state_.window_end += late - late % interval + interval;
    state_.peak = 0;
    state_.oom_peak = 0;
  }
  histogram.add(static_cast<double>(bytes), 1, state_.window_end);
  (is_oom ? state_.oom_peak : state_.peak) = bytes;
}

std::optional<std::int64_t> MemoryPeaks::add_oom(Histogram& histogram, std::int64_t requested,
                                                 WallTime at,
                                                 const config::HistorySettings& settings) {
  const Duration interval = settings.memory_aggregation_interval;
  if (state_.last_sample != Histogram::kNever && at < state_.last_sample - interval) {
    return std::nullopt;
  }
  // Earlier OOM kills do not count as usage, because each bump would raise the next one.
  const std::int64_t used = std::max(requested, state_.peak);
  const std::int64_t bumped =
      std::max(used + whole_amount(settings.oom_min_bump_up_bytes),
               whole_amount(static_cast<double>(used) * settings.oom_bump_up_ratio));
  const std::int64_t needed = std::min(bumped, kMaxAmount);
  take(histogram, needed, at, interval, true);
  return needed;
}

void MemoryPeaks::subtract_running(Histogram& histogram, WallTime now) const {
  if (now < state_.window_end) {
    histogram.subtract(static_cast<double>(highest()), 1, state_.window_end);
  }
}

}  // namespace bellows::recommender
