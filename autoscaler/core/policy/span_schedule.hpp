// Spans of the calendar that repeat: from a cron time to another, or for a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autoscaler/core/policy/cron.hpp"
#include "json/object.hpp"

namespace bellows::autoscaler {

/// One span that repeats, in the local time of a zone. Pure data.
class RepeatedSpan {
 public:
  /// Keys: from (a cron expression), and either to (another one) or for (a duration).
  static Result<RepeatedSpan> read(const json::Object& object);

  bool holds(const TimeZone& zone, WallTime at) const;
  /// When holds() may change next.
  std::optional<WallTime> next_change(const TimeZone& zone, WallTime at) const;

 private:
  Cron from_;
  std::optional<Cron> to_;
  Duration length_{};  // without to_
};

/// What the calendar says, until it may change: a cron expression is not searched at every
/// decision. It follows from the calendar alone, so nothing of it is saved. Pure data.
template <class T>
struct Held {
  WallTime from;
  WallTime until;  ///< not included
  T value{};

  bool knows(WallTime at) const { return from <= at && at < until; }
};

/// The key `timezone`; UTC without it.
Result<TimeZone> read_zone(const json::Object& object);

}  // namespace bellows::autoscaler
