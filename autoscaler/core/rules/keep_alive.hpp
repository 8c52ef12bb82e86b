// Keeps the last replica as learned from the idle times between requests (setting keep-alive).
#pragma once

#include <optional>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/rules/rhythm.hpp"
#include "autoscaler/core/state/idle_times.hpp"

namespace bellows::autoscaler {

/// The time since the newest requests arrived.
struct ElapsedSince {
  Duration last{};   ///< since the last one
  Duration first{};  ///< since the first one after the idle time before them
};

/// Returns the time that a start takes at most, but for one in many: a replica that is ordered
/// ahead of a call has to be ready for it.
Duration long_start(const Observation& seen);

/// Returns the time that the last replica stays without requests that have a rhythm: a stable
/// window and the evaluation after it. That is Knative's time while activators are in the path;
/// where requests bypass them (target-burst-capacity 0), Knative's replica stays for the grace
/// period too, and a call within it is warm there and cold here.
Duration kept_by_chance(const ScalingSpec& spec);

/// Returns the rhythm of the idle times, if following it is worth more than keeping a replica for a
/// stable window (rules/rhythm.hpp).
std::optional<Rhythm> rhythm_of(const ScalingSpec& spec, const IdleTimes& idle_times,
                                Duration start);

/// Returns true if a replica is worth keeping without requests: while a request is due, if there is
/// a rhythm; otherwise within kept_by_chance(). So a request every five minutes finds a replica
/// that started just before it, and one that comes by chance what a constant keep-alive gives it. A
/// rhythm that keeps nothing (after twelve idle times in a row longer than that) is no prediction:
/// a call that comes earlier again is cold. After the hybrid histogram policy of Shahrad et al.,
/// "Serverless in the Wild", USENIX ATC 2020, with single idle times instead of minutes.
bool is_worth_keeping(const ScalingSpec& spec, const IdleTimes& idle_times,
                      const std::optional<Rhythm>& rhythm, const ElapsedSince& since,
                      Duration start);

/// Returns until when scale-to-zero-pod-retention-period keeps the last replica: that long after
/// the window is empty, as in Knative. Nothing if it is not set or the revision is unreachable.
std::optional<TimePoint> end_of_retention(const ScalingSpec& spec, const Observation& seen,
                                          const Memory& memory);

/// Applies keep-alive learned once nothing was in flight for a panic window, outside panic mode and
/// scale-down-delay, if the demand is at most one replica: one (Rule::kExpected, or
/// Rule::kLastReplica without a rhythm) or none (Rule::kToZero). A pod retention period
/// comes on top. The grace period does not apply: whether the activator is in the path is known
/// (Rule::kGrace).
void keep_while_worth(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                      const Memory& memory, const IdleTimes& idle_times, TimePoint now);

/// Records an idle time if a request ended one.
void record_idle_time(IdleTimes& idle_times, const Memory& before, const Decision& decision);

}  // namespace bellows::autoscaler
