// A rhythm in the times between requests, as rules/rhythm.hpp finds it.
#pragma once

#include <cstdint>
#include <optional>

namespace bellows::autoscaler {

/// The cost of one way of keeping the last replica over the known idle times.
struct KeepCost {
  double idle_seconds = 0;       ///< of a replica without requests, starts included
  std::int32_t cold_starts = 0;  ///< idle times that ended without a ready replica
  bool operator==(const KeepCost&) const = default;
};

/// Timers of one period. Two timers of which one takes a multiple of the other's period are two of
/// that multiple. Found by find_rhythm().
struct Rhythm {
  double period = 0;  ///< seconds from one call of a timer to its next
  double slack = 0;   ///< a call comes up to this fraction of a period early or late
  KeepCost cost{};    ///< of following it
  /// No call is due at any time.
  bool keeps_nothing() const { return period <= 0; }
};

/// The times from which a rhythm is found besides the idle times, in seconds.
struct KeepTimes {
  double start = 0;              ///< from an order to a ready replica
  double constant = 60;          ///< for how long a replica is kept without a rhythm
  double cold_start_worth = 60;  ///< idle time that is worth one cold start
  bool operator==(const KeepTimes&) const = default;
};

/// The last answer of find_rhythm(), which is asked every two seconds and changes with a call.
struct FoundRhythm {
  KeepTimes times;
  std::optional<Rhythm> rhythm;
};

}  // namespace bellows::autoscaler
