// What the samples of one container (of all replicas) add up to, and the memory window of one
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
  /// Adds another; either may be empty. Merging is associative as far as sums of doubles are: the
  /// order of merges shows in the last bits only.
  void merge(Aggregate& other);

  /// Days of history (of one `interval` each) at one sample a minute: the shorter of both measures.
  double confidence(Duration interval) const;

  // What a CPU sample touches lies together.
  Histogram cpu;
  WallTime first_sample = Histogram::kNever;  ///< of CPU, as are the next two
  WallTime last_sample = Histogram::kNever;
  std::int64_t samples = 0;
  Histogram memory;
};

/// One peak per aggregation interval counts. The interval is the container's own: it begins with
/// its first memory sample. Source: VPA, model/container.go.
class MemoryPeaks {
 public:
  struct State {
    WallTime last_sample = Histogram::kNever;
    WallTime window_end = Histogram::kNever;
    std::int64_t peak = 0;
    std::int64_t oom_peak = 0;
  };

  /// A sample in order (equal times allowed).
  void add(Histogram& histogram, std::int64_t bytes, WallTime at, Duration interval);
  /// An OOM kill at `requested` bytes becomes a peak that is higher than what it had. What it is
  /// taken to need now, or nothing: the kill is older than one interval before the last sample.
  std::optional<std::int64_t> add_oom(Histogram& histogram, std::int64_t requested, WallTime at,
                                      const config::HistorySettings& settings);

  /// Takes the peak of the running window out of `histogram`, as checkpoints of VPA want it.
  void subtract_running(Histogram& histogram, WallTime now) const;

  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void take(Histogram& histogram, std::int64_t bytes, WallTime at, Duration interval, bool is_oom);
  std::int64_t highest() const { return std::max(state_.peak, state_.oom_peak); }

  State state_;
};

}  // namespace bellows::recommender
