// The slow brain of one revision within the service: stats in, advice out.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "autoscaler/slow/slow_brain.hpp"
#include "base/time.hpp"
#include "cluster/core/revision.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

/// The version that a revision's replicas are of, by the names that Kubernetes gives them
/// (NAME-TEMPLATEHASH-SUFFIX): that of the replica ordered last. Empty: the names do not tell.
struct RunningVersion {
  std::string version;
  bool is_rollout = false;  ///< replicas of another one run as well
};
RunningVersion running_version(const cluster::Revision& listed);

/// Owner: its revision in the registry; there is none with slow-brain off. Thread: the io thread.
class SlowLearner {
 public:
  /// The intervals that are kept for `bellows slow --journal`.
  static constexpr std::size_t kKept = 8;

  SlowLearner(const config::RevisionSettings& settings, TimePoint now);

  /// Continues what a predecessor of this program learned. The replicas run already, so those that
  /// report within 10 s are not young.
  void resume(slow::SlowState state, TimePoint now);
  /// Begins with what an earlier revision of the service leaves: its target and its jumps.
  void succeed(const slow::SlowState& earlier);
  void follow(const config::RevisionSettings& settings);
  /// The revision gets that part of its service's requests from now on: what is kept for jumps
  /// follows. True: it was another one.
  bool follow_share(double share);
  void record(const metrics::Stat& stat, TimePoint now) { meter_.record(stat, spec_, now); }

  /// Evaluates if that is due, at once after a kill for memory. True: there is new advice.
  bool evaluate_if_due(const cluster::Revision& listed, TimePoint now);

  /// nullopt before the first evaluation.
  const std::optional<slow::Advice>& advice() const { return advice_; }
  const slow::SlowState& state() const { return state_; }
  const slow::SlowSpec& spec() const { return spec_; }

  /// Of the newest advice, with slow-brain auto.
  std::optional<double> learned_target() const;
  /// The settings with it.
  config::RevisionSettings applied_to(const config::RevisionSettings& settings) const;

  /// {"service":..,"mode":..,"sentence":..,"spec":{..},"advice":{..},"state":{..}}. `in_use` is
  /// what a replica is sized for, `load` the requests in flight.
  std::string page(const RevisionId& revision, double in_use, double load, TimePoint now) const;
  /// Lines for `bellows replay slow`: the state before the oldest interval, then the intervals.
  std::string journal() const;

 private:
  struct Kept {
    slow::SlowSpec spec;
    slow::Interval interval;
  };

  config::SlowBrain mode_;
  slow::SlowSpec spec_;
  slow::IntervalMeter meter_;
  slow::SlowState state_;
  slow::SlowState opening_;  // before the oldest kept interval
  std::deque<Kept> kept_;
  std::optional<slow::Advice> advice_;
  TimePoint due_;
};

}  // namespace bellows::autoscaler
