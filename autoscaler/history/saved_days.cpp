#include "autoscaler/history/saved_days.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/text_parts.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::history {
namespace {

using std::chrono::nanoseconds;

Result<Duration> span_of(const json::Object& line, std::string_view key) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
  BELLOWS_TRY(const std::int64_t count, line.integer(key, -kMost, kMost));
  return Duration(nanoseconds(count));
}

Result<RevisionId> id_of(const json::Object& line, std::string_view key) {
  BELLOWS_TRY(std::string text, line.text(key));
  return RevisionId(std::move(text));
}

Result<journal::ShareChange> change_of(const json::Object& line, Duration by) {
  BELLOWS_TRY(const Duration at, span_of(line, "at"));
  BELLOWS_TRY(const json::Object shares, line.object("shares"));
  journal::ShareChange change{.at = TimePoint(at + by), .shares = {}};
  for (const std::string_view revision : shares.keys()) {
    BELLOWS_TRY(const std::int64_t share, shares.integer(revision, 0, 100));
    change.shares.emplace(RevisionId(std::string(revision)), static_cast<std::int32_t>(share));
  }
  return change;
}

Result<journal::ProcessEnd> end_of(const json::Object& line, Duration by) {
  BELLOWS_TRY(const Duration at, span_of(line, "at"));
  BELLOWS_TRY(const bool is_stopped, line.flag("stopped"));
  return journal::ProcessEnd{.at = TimePoint(at + by), .is_stopped = is_stopped};
}

/// Takes the first line, which has the instant of all.
Result<void> take_head(const json::Object& line, Duration by, SavedDays& days) {
  BELLOWS_TRY(const journal::ProcessEnd saved, end_of(line, by));
  days.at = saved.at;
  days.is_stopped = saved.is_stopped;
  BELLOWS_TRY(const std::vector<json::Object> ends, line.objects("ends"));
  for (const json::Object& each : ends) {
    BELLOWS_TRY(const journal::ProcessEnd end, end_of(each, by));
    days.ends.push_back(end);
  }
  return {};
}

Result<FailedStarts> failed_of(const json::Object& line, Duration by) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  FailedStarts failed;
  BELLOWS_TRY(failed.revision, id_of(line, "revision"));
  BELLOWS_TRY(failed.count, line.integer("failed-starts", 1, kMost));
  BELLOWS_TRY(failed.last, line.text("last"));
  BELLOWS_TRY(const Duration at, span_of(line, "at"));
  failed.at = TimePoint(at + by);
  return failed;
}

/// Takes a line of a service, of a revision, or a block of the last revision.
Result<void> take_line(const json::Object& line, Duration by, SavedDays& days) {
  if (line.has("first")) {
    if (days.days.empty()) return fail(line.invalid("first", "a line of a revision before it"));
    return days.days.back().day->read(line, by);
  }
  if (line.has("failed-starts")) {
    BELLOWS_TRY(FailedStarts failed, failed_of(line, by));
    days.failed.push_back(std::move(failed));
    return {};
  }
  BELLOWS_TRY(RevisionId service, id_of(line, "service"));
  if (line.has("revision")) {
    BELLOWS_TRY(RevisionId revision, id_of(line, "revision"));
    auto day = std::make_unique<DayJournal>(revision.text());
    days.days.push_back({std::move(service), std::move(revision), std::move(day)});
    return {};
  }
  BELLOWS_TRY(const std::vector<json::Object> changes, line.objects("changes"));
  for (const json::Object& each : changes) {
    BELLOWS_TRY(journal::ShareChange change, change_of(each, by));
    days.changes[service].push_back(std::move(change));
  }
  return {};
}

}  // namespace

TimePoint SavedDays::newest() const {
  TimePoint newest = TimePoint::min();
  for (const SavedDay& each : days) newest = std::max(newest, each.day->newest());
  for (const auto& [service, changed] : changes) {
    if (!changed.empty()) newest = std::max(newest, changed.back().at);
  }
  for (const FailedStarts& each : failed) newest = std::max(newest, each.at);
  return newest;
}

void SavedDays::add(SavedDays later) {
  if (later.at < at) return;
  at = later.at;
  is_stopped = later.is_stopped;
  ends = std::move(later.ends);
  failed = std::move(later.failed);
  for (auto& [service, changed] : later.changes) changes[service] = std::move(changed);
  for (SavedDay& each : later.days) {
    const auto known = std::find_if(days.rbegin(), days.rend(), [&](const SavedDay& day) {
      return day.service == each.service && day.revision == each.revision;
    });
    if (known == days.rend()) {
      days.push_back(std::move(each));
    } else {
      known->day->append(std::move(*each.day));
    }
  }
}

std::string days_text(const SavedDays& days, Duration wall_ahead) {
  const auto count_of = [](TimePoint at) { return nanoseconds(at.time_since_epoch()).count(); };
  json::Writer head;
  head.integer("wall-ahead", nanoseconds(wall_ahead).count()).integer("at", count_of(days.at));
  head.flag("stopped", days.is_stopped).open_list("ends");
  for (const journal::ProcessEnd& end : days.ends) {
    head.open().integer("at", count_of(end.at)).flag("stopped", end.is_stopped).close();
  }
  std::string lines = head.close().end_line();
  for (const auto& [service, changes] : days.changes) {
    json::Writer line;
    line.text("service", service.text()).open_list("changes");
    for (const journal::ShareChange& change : changes) {
      line.open().integer("at", count_of(change.at)).open("shares");
      for (const auto& [revision, share] : change.shares) line.integer(revision.text(), share);
      line.close().close();
    }
    lines += line.close().end_line();
  }
  for (const FailedStarts& each : days.failed) {
    json::Writer line;
    line.text("revision", each.revision.text()).integer("failed-starts", each.count);
    lines += line.text("last", each.last).integer("at", count_of(each.at)).end_line();
  }
  for (const SavedDay& each : days.days) {
    json::Writer line;
    line.text("service", each.service.text()).text("revision", each.revision.text());
    lines += line.end_line();
    each.day->write(lines);
  }
  return lines;
}

Result<SavedDays> read_days(std::string_view lines, Duration wall_ahead) {
  SavedDays days;
  Duration by{};
  for (std::size_t number = 1; !lines.empty(); ++number) {
    BELLOWS_TRY(const json::Object line, json::parse_line(next_part(lines, '\n'), number));
    if (number > 1) {
      BELLOWS_CHECKED(take_line(line, by, days));
      continue;
    }
    BELLOWS_TRY(const Duration before, span_of(line, "wall-ahead"));
    by = (before - wall_ahead) / kEvaluationPeriod * kEvaluationPeriod;
    BELLOWS_CHECKED(take_head(line, by, days));
  }
  return days;
}

}  // namespace bellows::autoscaler::history
