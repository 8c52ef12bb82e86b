// Records one simulation into its outcome.
#pragma once

#include <optional>
#include <vector>

#include "config/slow_brain_settings.hpp"
#include "simulator/demand.hpp"
#include "simulator/load_profile.hpp"
#include "simulator/outcome.hpp"
#include "simulator/wait_histogram.hpp"

namespace bellows::simulator {

/// The state of a simulation at a whole second.
struct Sample {
  PodCount used = 0;
  PodCount ready = 0;
  PodCount idle = 0;  ///< starting or without a request
  PodCount desired = 0;
  bool is_panic = false;
  std::int64_t in_system = 0;  ///< requests that wait or run
};

/// Counts from the end of the warm-up to the end of the trace. Times are relative to the begin of
/// the simulation. Owner: one simulation. Pure.
class Recorder {
 public:
  /// Counts the seconds that miss `goal`.
  Recorder(const LoadProfile& profile, const Demand& demand,
           const std::optional<config::LatencyGoal>& goal = {});

  bool counts(Duration at) const { return at >= profile_.warm_up && at < profile_.length; }

  /// Records that the service of a counted request starts.
  void waited(Duration wait) {
    waits_.record(wait);
    interval_waits_.record(wait);
  }
  /// Records that a counted request ended `after` its arrival; a lost one without a response.
  void responded(Duration after, bool is_lost);
  /// Records the number of starting, ready and draining replicas from `at` on.
  void used(PodCount replicas, Duration at);
  void sample(const Sample& sample, Duration at);
  void ordered(PodCount more, Duration at);

  /// Completes the outcome. The simulation sets the request counts.
  Outcome finish();

  Outcome outcome;  ///< until now; the simulation increments its request counts

 private:
  void close_interval();

  const LoadProfile& profile_;
  Demand demand_;
  WaitHistogram waits_;
  WaitHistogram interval_waits_{5};
  WaitHistogram responses_;
  std::optional<config::LatencyGoal> goal_;
  std::uint64_t ended_ = 0;  // in this second
  std::uint64_t late_ = 0;
  PodCount used_ = 0;
  Duration used_since_{};
  double sampled_ = 0;  // seconds of the open interval
  Interval interval_;
};

/// Returns a round length that divides `whole` into at most 1500 intervals.
Duration interval_for(Duration whole);

}  // namespace bellows::simulator
