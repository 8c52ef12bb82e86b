#include "cli/explain/explain.hpp"

#include <algorithm>
#include <span>

#include "autoscaler/journal/explanation.hpp"
#include "base/duration_text.hpp"
#include "cli/explain/moment.hpp"

namespace bellows::cli {
namespace {

using autoscaler::Decision;
using autoscaler::journal::ClockText;
using autoscaler::journal::Told;

/// Instants are told in milliseconds.
constexpr Duration kRounding = std::chrono::milliseconds(1);

std::string name_of(const Told& journal) {
  return journal.service.empty() ? "the service" : journal.service;
}

/// Lines that somebody wrote by hand know no calendar, only seconds.
ClockText clock_of(const Told& journal, const Asker& asker) {
  if (!journal.has_calendar) {
    return [](TimePoint at) {
      return duration_text(std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()));
    };
  }
  return [ahead = journal.wall_ahead, asker](TimePoint at) {
    return moment_text(WallTime(at.time_since_epoch() + ahead), asker.now, asker.ahead);
  };
}

Error out_of_reach(const Told& journal, const std::string& at, const ClockText& clock) {
  return {ErrorKind::kNotFound, "--at \"" + at + "\"",
          "before what is remembered of " + name_of(journal) + ": " +
              std::to_string(journal.decisions.size()) + " decisions from " +
              clock(journal.decisions.front().at) + " to " + clock(journal.decisions.back().at)};
}

/// `at` on the time line of the decisions.
Result<TimePoint> instant_of(const Told& journal, const std::string& at, const Asker& asker) {
  if (const auto since_zero = parse_duration(at)) return TimePoint(*since_zero);
  BELLOWS_TRY(const WallTime moment, parse_moment(at, asker.now, asker.ahead));
  if (journal.has_calendar) return TimePoint(moment.time_since_epoch() - journal.wall_ahead);
  return fail(ErrorKind::kInvalidSetting, "--at \"" + at + "\"",
              "these lines have no calendar (unix-seconds): want seconds as in their \"at\", such "
              "as 12.5s");
}

/// How many of the decisions were made by then.
Result<std::size_t> count_until(const Told& journal, const std::string& at, const Asker& asker) {
  if (at.empty()) return journal.decisions.size();
  BELLOWS_TRY(const TimePoint until, instant_of(journal, at, asker));
  const auto& decisions = journal.decisions;
  const auto later =
      std::upper_bound(decisions.begin(), decisions.end(), until,
                       [](TimePoint then, const Decision& d) { return then < d.at - kRounding; });
  return static_cast<std::size_t>(later - decisions.begin());
}

}  // namespace

Result<std::string> explain(const Told& journal, const std::string& at, const Asker& asker) {
  if (journal.decisions.empty()) {
    return fail(ErrorKind::kNotFound, name_of(journal), "nothing was decided yet");
  }
  const ClockText clock = clock_of(journal, asker);
  BELLOWS_TRY(const std::size_t count, count_until(journal, at, asker));
  if (count == 0) return fail(out_of_reach(journal, at, clock));
  const std::span<const Decision> until(journal.decisions.data(), count);
  return autoscaler::journal::explanation(name_of(journal), until, journal.calls[count - 1], clock);
}

}  // namespace bellows::cli
