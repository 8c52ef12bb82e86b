// Whether the times between requests have a rhythm that is worth following.
#pragma once

#include <optional>

#include "autoscaler/core/state/idle_times.hpp"

namespace bellows::autoscaler {

/// The rhythm that would have cost clearly less than the constant, with clearly fewer cold starts
/// and no more idle time. Nothing: there is none, as in most traffic by chance. If none of the
/// newest twelve calls came within the constant, no call is due, and nothing is kept: a rule of its
/// own, by which a call by chance within the constant is cold.
///
/// A period is the distance of one of the two newest calls from an earlier one. Calls that far
/// apart are of one timer, and one that was called twice expects a third. What following would have
/// cost is judged out of sample: each call is predicted from the earlier ones alone, so none
/// vouches for itself, and a rhythm that ended or never was costs more than it spares and is not
/// followed. The answer is kept in `known` until that changes.
std::optional<Rhythm> find_rhythm(const IdleTimes& known, const KeepTimes& times);

/// True if a replica is needed now, `last` seconds after the last request and `first` seconds after
/// the first one of its busy period: a request is due, or would be by the time a replica is ready.
bool is_due(const IdleTimes& known, const Rhythm& rhythm, double start, double last, double first);

}  // namespace bellows::autoscaler
