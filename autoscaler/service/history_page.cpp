#include "autoscaler/service/history_page.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autoscaler/history/chart.hpp"
#include "autoscaler/journal/journal_lines.hpp"
#include "base/read_number.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

using history::DayEntry;
using std::chrono::milliseconds;

constexpr std::int64_t kMaxMilliseconds = std::int64_t{1} << 42;  // the year 2109

/// Returns nullopt for a negative number, too.
std::optional<std::int64_t> number_of(std::string_view text) {
  const auto value = read_number<std::int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

/// Reads a parameter in milliseconds; nullopt without it.
Result<std::optional<Duration>> span_of(const http::Request& request, std::string_view name) {
  const std::string text = request.parameter(name);
  if (text.empty()) return std::nullopt;
  const auto value = number_of(text);
  if (value && *value <= kMaxMilliseconds) return milliseconds(*value);
  return fail(ErrorKind::kMalformed, std::string(name) + "=" + text,
              "want a whole number of milliseconds, of the calendar since 1970");
}

Duration wall_ahead_of(const ClockPair& now) {
  return now.wall.time_since_epoch() - now.now.time_since_epoch();
}

Result<std::optional<TimePoint>> instant_of(const http::Request& request, std::string_view name,
                                            Duration wall_ahead) {
  BELLOWS_TRY(const std::optional<Duration> since_1970, span_of(request, name));
  if (!since_1970) return std::nullopt;
  return TimePoint(*since_1970 - wall_ahead);
}

http::Response lines_response(std::string lines) {
  http::Response response;
  response.content_type = "application/jsonl";
  response.body = std::move(lines);
  return response;
}

/// The end of a part: the instant of the next decision, and the end of all lines.
struct Continuation {
  TimePoint next;
  std::optional<journal::JournalWriter::Begun> begun;

  std::string text() const {
    return count_of(next) + "-" + count_of(begun->origin) + "-" + begun->revision.text();
  }

  static std::optional<Continuation> read(std::string_view text) {
    const std::size_t dash = text.find('-');
    const std::size_t second = dash == std::string_view::npos ? dash : text.find('-', dash + 1);
    if (second == std::string_view::npos) return std::nullopt;
    const auto next = read_number<std::uint64_t>(text.substr(0, dash));
    const auto origin = read_number<std::uint64_t>(text.substr(dash + 1, second - dash - 1));
    const RevisionId revision(text.substr(second + 1));
    if (!next || !origin || revision.empty()) return std::nullopt;
    return Continuation{instant_of(*next),
                        journal::JournalWriter::Begun{instant_of(*origin), revision}};
  }

 private:
  // Instants before the boot of the machine are negative.
  static std::string count_of(TimePoint at) {
    return std::to_string(static_cast<std::uint64_t>(at.time_since_epoch().count()));
  }
  static TimePoint instant_of(std::uint64_t count) {
    return TimePoint(Duration(static_cast<Duration::rep>(count)));
  }
};

/// A deploy shows in a journal of several parts once: in that of its time.
http::Response part_of_journal(const RevisionHistory& history, const Continuation& start,
                               TimePoint until, std::size_t most, Duration wall_ahead) {
  journal::JournalWriter writer(history.service(), wall_ahead, start.begun);
  writer.add_restarts(history.restarts(start.next));
  writer.add_changes(history.changes(start.next));
  writer.add_ends(history.ends(start.next));
  std::string lines;
  std::size_t count = 0;
  std::optional<TimePoint> next;
  history.visit(start.next, until, [&](const Stretch& stretch, const DayEntry& entry) {
    if (count == most) {
      next = entry.decision.at;
      return false;
    }
    writer.decide_for(stretch.revision, stretch.since());
    if (entry.begins) writer.begin_anew();
    lines += writer.lines_of(entry.decision, entry.before, *entry.settings);
    ++count;
    return true;
  });
  lines += writer.lines_of_events(next.value_or(until));
  http::Response response = lines_response(std::move(lines));
  if (next) response.headers.emplace_back(kNextPart, Continuation{*next, writer.begun()}.text());
  return response;
}

/// Its last decision is not in force any more.
Error not_listed(const RevisionHistory& history) {
  const std::string service = history.service().text();
  return {ErrorKind::kNotFound, "revision \"" + history.name().text() + "\"",
          "no such revision of " + service + " ran then; want " + service +
              ", or a time at which it ran (`bellows journal " + history.name().text() +
              " --since 24h`)"};
}

/// Returns decisions whose last one was in force then.
http::Response journal_until(const RevisionHistory& history, TimePoint until, Duration wall_ahead) {
  const auto oldest = history.oldest();
  if (oldest && until < *oldest) {
    return part_of_journal(history, {*oldest, std::nullopt}, *oldest, 1, wall_ahead);
  }
  const TimePoint start = history.start_of_last(kJournalBefore, until);
  const std::size_t all = std::size_t{3} * history::DayJournal::kBlock;
  return part_of_journal(history, {start, std::nullopt}, until, all, wall_ahead);
}

/// Returns the last decisions of the revision that gets most requests.
http::Response last_of_journal(const RevisionHistory& history, Duration wall_ahead) {
  journal::JournalWriter writer(history.service(), wall_ahead);
  writer.add_restarts(history.leading().restarts.last());
  writer.add_changes(history.changes(TimePoint::min()));
  writer.decide_for(history.leading().id(), history.leads_since());
  return lines_response(journal::journal_lines(history.leading().journal, std::move(writer)));
}

}  // namespace

Result<http::Response> journal_page(const RevisionHistory& history, const http::Request& request,
                                    const ClockPair& now) {
  const Duration wall_ahead = wall_ahead_of(now);
  BELLOWS_TRY(const auto from, instant_of(request, "from", wall_ahead));
  BELLOWS_TRY(const auto until, instant_of(request, "until", wall_ahead));
  const std::string following = request.parameter("next");
  if (!following.empty()) {
    const auto start = Continuation::read(following);
    if (start) return part_of_journal(history, *start, now.now, kJournalPart, wall_ahead);
    return fail(ErrorKind::kMalformed, "next=" + following,
                "want the " + std::string(kNextPart) + " of a response");
  }
  if (from) {
    http::Response response =
        part_of_journal(history, {*from, std::nullopt}, now.now, kJournalPart, wall_ahead);
    const auto oldest = history.oldest();
    if (oldest && *oldest > *from) {
      const Duration begins = oldest->time_since_epoch() + wall_ahead;
      response.headers.emplace_back(kBeginsAt, std::to_string(to_milliseconds(begins)));
    }
    return response;
  }
  const TimePoint last = until.value_or(now.now);
  if (!history.is_listed() && history.last_decision_before(last) < last - kEvaluationPeriod) {
    return fail(not_listed(history));
  }
  const bool is_past = until || !history.is_listed();
  if (is_past && history.has_days()) return journal_until(history, last, wall_ahead);
  return last_of_journal(history, wall_ahead);
}

Result<http::Response> chart_page(const RevisionHistory& history, const http::Request& request,
                                  const ClockPair& now) {
  const Duration wall_ahead = wall_ahead_of(now);
  BELLOWS_TRY(const auto from, instant_of(request, "from", wall_ahead));
  BELLOWS_TRY(const auto until, instant_of(request, "until", wall_ahead));
  BELLOWS_TRY(const auto step, span_of(request, "step"));
  history::Chart chart(step.value_or(Duration::zero()), wall_ahead);
  std::size_t count = 0;
  std::optional<TimePoint> next;
  const auto add = [&](const Stretch& /*stretch*/, const DayEntry& entry) {
    if (count++ == kChartPart) {
      next = entry.decision.at;
      return false;
    }
    chart.add(entry.decision);
    return true;
  };
  history.visit(from.value_or(TimePoint::min()), until.value_or(now.now), add);
  chart.add_changes(history.changes(TimePoint::min()), from.value_or(TimePoint::min()),
                    next ? *next - Duration(1) : until.value_or(now.now));
  const auto on_calendar = [&](TimePoint at) {
    return to_milliseconds(at.time_since_epoch() + wall_ahead);
  };
  json::Writer page;
  page.integer("version", 1).text("name", history.name().text());
  page.integer("now", on_calendar(now.now));
  const auto oldest = history.has_days() ? history.oldest() : std::nullopt;
  if (oldest) page.integer("oldest", on_calendar(*oldest));
  if (next) page.integer("next", on_calendar(*next));
  page.raw("chart", chart.json());
  return http::json_response(page.end_line());
}

}  // namespace bellows::autoscaler
