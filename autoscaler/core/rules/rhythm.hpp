// Whether the times between requests have a rhythm that is worth following.
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/state/idle_times.hpp"

namespace bellows::autoscaler {

/// What one way of keeping the last replica would have cost over the known idle times.
struct KeepCost {
  double idle_seconds = 0;       ///< of a replica without requests, starts included
  std::int32_t cold_starts = 0;  ///< idle times that ended without a ready replica
  bool operator==(const KeepCost&) const = default;
};

/// Where requests are due. Found by find_rhythm().
struct Rhythm {
  /// True: counted from the first request of the last busy period, as a timer's are however long
  /// its requests take. False: from the last request.
  bool is_of_periods = false;
  double slack = 0;  ///< requests come within this fraction of a duration around it
  KeepCost cost;     ///< of following it
};

/// The inputs besides the idle times, in seconds.
struct KeepTimes {
  double start = 0;              ///< from an order to a ready replica
  double constant = 60;          ///< for how long a replica is kept without a rhythm
  double cold_start_worth = 60;  ///< idle time that is worth one cold start
};

/// What keeping a replica for `times.constant` after each request would have cost.
KeepCost cost_of_constant(const IdleTimes& known, const KeepTimes& times);

/// The rhythm that would have cost clearly less than the constant, with no more cold starts and no
/// more idle time. Nothing: there is none, as in traffic by chance. If many calls are
/// known and none came within the constant, no time is due, and nothing is kept. A duration counts
/// as a time of the rhythm if several known ones agree with it. What following would have cost is
/// judged out of sample: each known idle time is predicted from the others alone, so none vouches
/// for itself, and a rhythm that ended or never was costs more than it spares and is not followed.
std::optional<Rhythm> find_rhythm(const IdleTimes& known, const KeepTimes& times);

/// True if a replica is needed now, `last` seconds after the last request and `first` seconds after
/// the first one of its busy period: a request is due, or would be by the time a replica is ready.
bool is_due(const IdleTimes& known, const Rhythm& rhythm, double start, double last, double first);

}  // namespace bellows::autoscaler
