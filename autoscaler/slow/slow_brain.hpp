// The slow brain of one revision: it learns the target of requests in flight per replica, which the
// decider (the fast brain) applies. docs/slow-brain.md describes it, docs/decisions/slow-brain.md
// has the reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "autoscaler/slow/estimators.hpp"
#include "autoscaler/slow/goal_record.hpp"
#include "autoscaler/slow/interval.hpp"
#include "autoscaler/slow/jumps.hpp"
#include "autoscaler/slow/level_table.hpp"
#include "autoscaler/slow/slow_spec.hpp"
#include "config/revision_settings.hpp"

namespace bellows::autoscaler::slow {

/// The result of an evaluation, and its reason.
enum class Step : std::uint8_t {
  kTooFewData,  ///< the target stays: too few seconds of replicas
  kRollout,     ///< it stays: two versions serve
  kSteady,      ///< it stays: the change would be less than a tenth
  kRaised,
  kLowered,
  kKilled,        ///< lowered at once: a replica was killed for memory
  kNewBehaviour,  ///< it stays: the service time has changed, learning restarts
};
std::string_view to_string(Step step);

struct Advice {
  TimePoint at;
  double target = 0;              ///< requests in flight per replica
  double before = 0;              ///< the target before this evaluation
  double wanted = 0;              ///< the target to which the steps lead
  double waiting_percentage = 0;  ///< for the headroom, with a goal; 0: that of the settings
  std::optional<std::int32_t> container_concurrency{};  ///< suggested, never set
  double kept_load = 0;  ///< requests in flight for which replicas are kept ready; 0: none
  std::optional<Reason> reason{};  ///< of the binding bound; none: the load has reached none
  Bounds bounds{};
  double confidence = 0;
  Step step = Step::kTooFewData;
  /// Seconds of a single request, if they exceed the goal, which then cannot be kept.
  std::optional<double> best_possible{};
  double learned_seconds = 0;  ///< replica-seconds in the table
  bool operator==(const Advice&) const = default;
};

/// The state between evaluations, and across restarts.
struct SlowState {
  std::string version;  ///< image and command of the revision that the table is about
  TimePoint at;         ///< of the last evaluation; zero: there was none of this version
  TimePoint since;      ///< begin of learning: first data, or changed behaviour
  double target = 0;    ///< 0: none yet
  LevelTable table;
  LevelTable suspect;  ///< seconds unlike the table, until later ones confirm or refute them
  ReplicaLimits limits;
  OutOfMemory kill;
  /// Requests in flight at the worst moments, as a multiple of the target; decays to 1.
  double crowding = 1;
  GoalRecord goal;
  JumpRecord jumps;
  /// Without a goal: the maximum target since the service time rose at the same level, so that a
  /// lasting slowness does not count as normal; 0: none.
  double ceiling = 0;
  bool operator==(const SlowState&) const = default;
};

/// Returns the time between evaluations. While learning it is half a minute, or the goal's
/// window if that is shorter, with steps of up to +50 % and -50 %. After half an hour it is 5
/// minutes, or the goal's window, with steps of up to +10 % and -20 %; after seconds unlike the
/// table it is a minute.
Duration evaluation_period(const SlowSpec& spec, const SlowState& state, TimePoint now);

/// Returns the limits of a replica, from the table and the settings.
Bounds bounds_of(const SlowSpec& spec, const SlowState& state);

/// Adds the interval since the last evaluation to the state and sets the next target. Equal
/// arguments give equal results. The target is finite and within spec.min and spec.max. A step
/// stays within the limits above, except after a kill, which halves the target once.
Advice evaluate(const SlowSpec& spec, SlowState& state, const Interval& interval);

/// Restarts learning for a new version of the revision: discards the table, starts with the old
/// target, and takes fast steps. The jumps stay known, because they are those of the service.
void start_version(SlowState& state, std::string version);

/// Returns the settings of the decider with slow-brain auto: the learned target replaces the
/// configured one, and min-scale is raised to the replicas that are kept ready.
config::RevisionSettings with_target(const config::RevisionSettings& settings,
                                     const Advice& advice);

}  // namespace bellows::autoscaler::slow
