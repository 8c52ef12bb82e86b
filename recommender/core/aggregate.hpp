// The aggregate of all samples of one container (of all replicas), and the memory peaks of one
// replica's container.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "config/recommender_settings.hpp"
#include "recommender/core/histogram.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// VPA's AggregateContainerState. Owner: History. Source: VPA, model/aggregate_container_state.go.
struct Aggregate {
  Aggregate(const HistogramOptions& cpu_options, const HistogramOptions& memory_options)
      : cpu(cpu_options), memory(memory_options) {}

  void add_cpu(double cores, double weight, WallTime at);
  /// Adds another aggregate; either may be empty. Merging is associative except for rounding: the
  /// order of merges changes the last bits only.
  void merge(Aggregate& other);

  /// Returns the length of the history in units of `interval`: by time or by samples at one a
  /// minute, whichever is less.
  double confidence(Duration interval) const;

  // The members that a CPU sample reads and writes are adjacent.
  Histogram cpu;
  WallTime first_sample = Histogram::kNever;  ///< of CPU, as the next two members
  WallTime last_sample = Histogram::kNever;
  std::int64_t samples = 0;
  Histogram memory;
};

/// Memory peaks: only the peak of each aggregation interval enters the histogram. The interval is
/// the container's own: it begins with its first memory sample. Source: VPA, model/container.go.
class MemoryPeaks {
 public:
  struct State {
    WallTime last_sample = Histogram::kNever;
    WallTime window_end = Histogram::kNever;
    std::int64_t peak = 0;
    std::int64_t oom_peak = 0;
  };

  /// Adds a sample. Samples are in order of time; equal times are allowed.
  void add(Histogram& histogram, std::int64_t bytes, WallTime at, Duration interval);
  /// Adds a peak above `requested`, the memory at an OOM kill. Returns the peak, or nullopt if the
  /// kill is more than one interval older than the last sample.
  std::optional<std::int64_t> add_oom(Histogram& histogram, std::int64_t requested, WallTime at,
                                      const config::HistorySettings& settings);

  /// Removes the peak of the current window from `histogram`, because VPA's checkpoints exclude it.
  void subtract_running(Histogram& histogram, WallTime now) const;

  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void take(Histogram& histogram, std::int64_t bytes, WallTime at, Duration interval, bool is_oom);
  std::int64_t highest() const { return std::max(state_.peak, state_.oom_peak); }

  State state_;
};

}  // namespace bellows::recommender
