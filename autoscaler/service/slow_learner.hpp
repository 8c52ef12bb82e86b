// The slow brain of one revision within the service: it takes stats and gives advice.
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

/// The version of a revision's replicas, from their names in Kubernetes (NAME-TEMPLATEHASH-SUFFIX):
/// that of the replica ordered last. Empty: the names have no version.
struct RunningVersion {
  std::string version;
  bool is_rollout = false;  ///< replicas of another version run as well
};
RunningVersion running_version(const cluster::Revision& listed);

/// Owner: its revision in the registry; there is none with slow-brain off. Thread: the io thread.
class SlowLearner {
 public:
  /// The number of intervals kept for `bellows slow --journal`.
  static constexpr std::size_t kKept = 8;

  SlowLearner(const config::RevisionSettings& settings, TimePoint now);

  /// Resumes the learned state of a predecessor of this program. The replicas already run, so those
  /// that report within 10 s are not young.
  void resume(slow::SlowState state, TimePoint now);
  /// Inherits the target and the jumps of an earlier revision of the service.
  void succeed(const slow::SlowState& earlier);
  void follow(const config::RevisionSettings& settings);
  /// Sets the revision's part of its service's requests, which scales the replicas kept for jumps.
  /// Returns true if it has changed.
  bool follow_share(double share);
  void record(const metrics::Stat& stat, TimePoint now) { meter_.record(stat, spec_, now); }

  /// Evaluates if that is due, and at once after an OOM kill. Returns true if there is new advice.
  bool evaluate_if_due(const cluster::Revision& listed, TimePoint now);

  /// Returns the newest advice; nullopt before the first evaluation.
  const std::optional<slow::Advice>& advice() const { return advice_; }
  const slow::SlowState& state() const { return state_; }
  const slow::SlowSpec& spec() const { return spec_; }

  /// Returns the target of the newest advice, with slow-brain auto.
  std::optional<double> learned_target() const;
  /// Returns the settings with that target.
  config::RevisionSettings applied_to(const config::RevisionSettings& settings) const;

  /// Returns {"service":..,"revision":..,"mode":..,"sentence":..,"spec":{..},"advice":{..},
  /// "state":{..}}.
  /// `in_use` is the target in use, `load` the requests in flight.
  std::string page(const cluster::Revision& revision, double in_use, double load,
                   TimePoint now) const;
  /// Returns lines for `bellows replay slow`: the state before the oldest interval, then the
  /// intervals.
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
