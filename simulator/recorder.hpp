// The tally of one simulation: everything that its outcome says.
#pragma once

#include <vector>

#include "simulator/demand.hpp"
#include "simulator/outcome.hpp"
#include "simulator/survey.hpp"
#include "simulator/wait_histogram.hpp"

namespace bellows::simulator {

/// The state of a simulation at a whole second.
struct Sample {
  PodCount used = 0;
  PodCount ready = 0;
  PodCount want = 0;
  bool is_panic = false;
  std::int64_t in_system = 0;  ///< requests that wait or run
};

/// Counts between the end of the warm-up and the end of the trace. Instants are from the beginning
/// of the simulation. Owner: one simulation. Pure.
class Recorder {
 public:
  Recorder(const Survey& limits, const Demand& demand);

  bool counts(Duration at) const { return at >= limits_.warm_up && at < limits_.length; }

  /// A counted request begins its service.
  void waited(Duration wait) {
    waits_.record(wait);
    stretch_waits_.record(wait);
  }
  /// From here on so many replicas cost something.
  void used(PodCount replicas, Duration at);
  void sample(const Sample& sample, Duration at);
  void ordered(PodCount more, Duration at);

  /// Closes everything; the requests' counts are filled in by the simulation.
  Outcome finish();

  Outcome outcome;  ///< so far; its counts of requests are the simulation's to raise

 private:
  void close_stretch();

  const Survey& limits_;
  Demand demand_;
  WaitHistogram waits_;
  WaitHistogram stretch_waits_{5};
  PodCount used_ = 0;
  Duration used_since_{};
  double sampled_ = 0;  // seconds of the open stretch
  Stretch stretch_;
};

/// A round length that cuts `whole` into at most 1500 stretches.
Duration stretch_for(Duration whole);

}  // namespace bellows::simulator
