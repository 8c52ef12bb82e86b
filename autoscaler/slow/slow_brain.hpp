// The slow brain of one revision: learns how many requests a replica should have in flight, which
// the decider (the fast brain) then holds. docs/slow-brain.md says how,
// docs/decisions/slow-brain.md why.
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

/// What an evaluation did, and why.
enum class Step : std::uint8_t {
  kTooFewData,  ///< the target stays: too few seconds of replicas
  kRollout,     ///< it stays: two versions serve
  kSteady,      ///< it stays: the change would be less than a tenth
  kRaised,
  kLowered,
  kKilled,        ///< lowered at once: a replica was killed for memory
  kNewBehaviour,  ///< it stays: requests take another time than before; learned anew
};
std::string_view to_string(Step step);

struct Advice {
  TimePoint at;
  double target = 0;              ///< requests in flight that one replica is sized for
  double before = 0;              ///< the target before this evaluation
  double wanted = 0;              ///< where the steps lead
  double waiting_percentage = 0;  ///< for the headroom, with a goal; 0: that of the settings
  std::optional<std::int32_t> container_concurrency{};  ///< suggested, never set
  double kept_load = 0;  ///< requests in flight for which replicas are kept ready; 0: none
  std::optional<Reason> reason{};  ///< of the bound that binds; none: the load has not reached any
  Bounds bounds{};
  double confidence = 0;
  Step step = Step::kTooFewData;
  /// The goal cannot be kept: a request that is alone takes so many seconds.
  std::optional<double> best_possible{};
  double learned_seconds = 0;  ///< replica-seconds in the table
  bool operator==(const Advice&) const = default;
};

/// What is kept between evaluations, and over restarts.
struct SlowState {
  std::string version;  ///< of the revision: image, command; the table is about this one
  TimePoint at;         ///< of the last evaluation; zero: there was none of this version
  TimePoint since;      ///< learning began: first data, or another behaviour
  double target = 0;    ///< 0: none yet
  LevelTable table;
  LevelTable suspect;  ///< seconds unlike the table, until others confirm or deny them
  ReplicaLimits limits;
  OutOfMemory kill;
  /// How many times their target the replicas had in flight at the worst moments; decays to 1.
  double crowding = 1;
  GoalRecord goal;
  JumpRecord jumps;
  /// Without a goal: no target above it since requests began to take longer at the same level, so
  /// that what is slow for good is not taken for healthy; 0: none.
  double ceiling = 0;
  bool operator==(const SlowState&) const = default;
};

/// While learning, evaluations are half a minute apart and steps go up to +50 % and -50 %; after
/// half an hour 5 minutes, or the goal's window, +10 % and -20 %; a minute after seconds unlike the
/// table.
Duration evaluation_period(const SlowSpec& spec, const SlowState& state, TimePoint now);

/// What limits a replica, by the table and the settings.
Bounds bounds_of(const SlowSpec& spec, const SlowState& state);

/// Takes what happened since the last evaluation into the state and sets the next target. Equal
/// arguments give equal results. Never outside spec.min and spec.max; never NaN; a step is never
/// larger than the limits above, except after a kill, which halves it once.
Advice evaluate(const SlowSpec& spec, SlowState& state, const Interval& interval);

/// A new version of the revision runs: forgets what was learned, keeps the target as a start, and
/// learns anew with fast steps. Jumps stay known: they are those of the service.
void start_version(SlowState& state, std::string version);

/// The settings with the learned target in place of the configured one, and min-scale raised to the
/// replicas that are kept ready: what the decider uses with slow-brain auto.
config::RevisionSettings with_target(const config::RevisionSettings& settings,
                                     const Advice& advice);

}  // namespace bellows::autoscaler::slow
