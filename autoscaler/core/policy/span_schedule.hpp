// Spans of the calendar that repeat: from a cron time to another, or for a time.
#pragma once

#include <optional>
#include <string>

#include "autoscaler/core/policy/cron.hpp"
#include "json/object.hpp"

namespace bellows::autoscaler {

/// One span that repeats, in the local time of a zone. Pure data.
class RepeatedSpan {
 public:
  /// Keys: from (a cron expression), and either to (another one) or for (a duration).
  static Result<RepeatedSpan> read(const json::Object& object, cctz::time_zone zone);

  bool holds(WallTime at) const;
  /// Returns when holds() may change next.
  std::optional<WallTime> next_change(WallTime at) const;
  cctz::time_zone zone() const { return zone_; }

 private:
  cctz::time_zone zone_;
  Cron from_;
  std::optional<Cron> to_;
  Duration length_{};  // without to_
};

/// Reads the key `timezone`, a name of the system's database (tzdata); UTC without it.
Result<cctz::time_zone> read_zone(const json::Object& object);

/// Returns "Mon 08:00 Europe/Berlin".
std::string local_text(cctz::time_zone zone, WallTime at);

}  // namespace bellows::autoscaler
