#include "cli/explain/explain.hpp"

#include <algorithm>
#include <span>

#include "autoscaler/explain/explanation.hpp"
#include "base/duration_text.hpp"
#include "cli/explain/time_spec.hpp"

namespace bellows::cli {
namespace {

using autoscaler::Decision;
using autoscaler::explain::ClockText;
using autoscaler::journal::JournalContents;
using autoscaler::journal::ProcessEnd;

/// Times are printed in milliseconds.
constexpr Duration kRounding = std::chrono::milliseconds(1);

std::string name_of(const JournalContents& journal) {
  return journal.service.empty() ? "the service" : journal.service;
}

/// Returns the clock of the lines; those written by hand have seconds and no calendar.
ClockText clock_of(const JournalContents& journal, const LocalTime& local) {
  if (!journal.has_calendar) {
    return [](TimePoint at) {
      return duration_text(std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()));
    };
  }
  return [ahead = journal.wall_ahead, local](TimePoint at) {
    return local_time_text(WallTime(at.time_since_epoch() + ahead), local.now, local.utc_offset);
  };
}

Error before_journal(const JournalContents& journal, const std::string& at,
                     const ClockText& clock) {
  return {ErrorKind::kNotFound, "--at \"" + at + "\"",
          "before the journal of " + name_of(journal) + ", which begins at " +
              clock(journal.decisions.front().at)};
}

/// Returns `at` on the timeline of the decisions.
Result<TimePoint> instant_of(const JournalContents& journal, const std::string& at,
                             const LocalTime& local) {
  if (const auto since_zero = parse_duration(at)) return TimePoint(*since_zero);
  BELLOWS_TRY(const WallTime time, parse_time_spec(at, local.now, local.utc_offset));
  if (journal.has_calendar) return TimePoint(time.time_since_epoch() - journal.wall_ahead);
  return fail(ErrorKind::kInvalidSetting, "--at \"" + at + "\"",
              "this journal has no calendar (unix-seconds): want seconds as in its \"at\", such as "
              "12.5s");
}

/// Returns the last end of a process until then; nullptr: there is none.
const ProcessEnd* end_before(const JournalContents& journal, TimePoint until) {
  const auto later = std::ranges::upper_bound(journal.ends, until, {}, &ProcessEnd::at);
  return later == journal.ends.begin() ? nullptr : &*std::prev(later);
}

/// The last decision before the end of a process is not in force after it.
Error not_known(const JournalContents& journal, const std::string& at, const ProcessEnd& end,
                const ClockText& clock) {
  return {ErrorKind::kNotFound, "--at \"" + at + "\"",
          end.is_stopped
              ? "Bellows did not run then: it ended at " + clock(end.at)
              : "not known: Bellows ended without writing its day after " + clock(end.at) +
                    ", and " + name_of(journal) + " was next decided later"};
}

/// Returns the number of decisions made until then.
Result<std::size_t> count_until(const JournalContents& journal, const std::string& at,
                                const LocalTime& local) {
  if (at.empty()) return journal.decisions.size();
  BELLOWS_TRY(const TimePoint until, instant_of(journal, at, local));
  const auto& decisions = journal.decisions;
  const auto later =
      std::upper_bound(decisions.begin(), decisions.end(), until,
                       [](TimePoint then, const Decision& d) { return then < d.at - kRounding; });
  const auto count = static_cast<std::size_t>(later - decisions.begin());
  const ProcessEnd* const end = end_before(journal, until);
  if (count > 0 && end != nullptr && end->at > decisions[count - 1].at) {
    return fail(not_known(journal, at, *end, clock_of(journal, local)));
  }
  return count;
}

/// Returns the first of the decisions before which nothing is unknown up to the last of `count`.
std::size_t first_known(const JournalContents& journal, std::size_t count) {
  const auto& decisions = journal.decisions;
  std::size_t first = 0;
  for (const ProcessEnd& end : journal.ends) {
    while (!end.is_stopped && first + 1 < count && decisions[first].at <= end.at) ++first;
  }
  return first;
}

/// Returns who has most requests at a decision and since when, for a service that has been
/// deployed.
std::string revision_text(const JournalContents& journal, std::size_t decision,
                          const LocalTime& local) {
  const auto after = std::ranges::upper_bound(journal.revisions, decision, {},
                                              &autoscaler::journal::RevisionDecisions::first);
  if (after == journal.revisions.begin()) return {};
  const auto& of = *std::prev(after);
  if (!of.since) return {};
  return " Its revision " + of.revision + " has had most of the requests since " +
         local_time_text(*of.since, local.now, local.utc_offset) + ".";
}

}  // namespace

Result<std::string> explain(const JournalContents& journal, const std::string& at,
                            const LocalTime& local) {
  if (journal.decisions.empty()) {
    return fail(ErrorKind::kNotFound, name_of(journal), "no decision has been made yet");
  }
  const ClockText clock = clock_of(journal, local);
  BELLOWS_TRY(const std::size_t count, count_until(journal, at, local));
  if (count == 0) return fail(before_journal(journal, at, clock));
  const std::span<const Decision> until(journal.decisions.data(), count);
  const auto known = until.subspan(first_known(journal, count));
  return autoscaler::explain::explanation(journal.service, known, journal.idle_times[count - 1],
                                          clock) +
         revision_text(journal, count - 1, local);
}

}  // namespace bellows::cli
