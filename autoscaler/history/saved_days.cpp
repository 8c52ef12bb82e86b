#include "autoscaler/history/saved_days.hpp"

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

/// Takes a line of a service, of a revision, or a block of the last revision.
Result<void> take_line(const json::Object& line, Duration by, SavedDays& days) {
  if (line.has("first")) {
    if (days.days.empty()) return fail(line.invalid("first", "a line of a revision before it"));
    return days.days.back().day->read(line, by);
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

DaysText::DaysText(Duration wall_ahead) {
  lines_ = json::Writer().integer("wall-ahead", nanoseconds(wall_ahead).count()).end_line();
}

void DaysText::add(const RevisionId& service, const std::vector<journal::ShareChange>& changes) {
  json::Writer line;
  line.text("service", service.text()).open_list("changes");
  for (const journal::ShareChange& change : changes) {
    line.open().integer("at", nanoseconds(change.at.time_since_epoch()).count()).open("shares");
    for (const auto& [revision, share] : change.shares) line.integer(revision.text(), share);
    line.close().close();
  }
  lines_ += line.close().end_line();
}

void DaysText::add(const RevisionId& service, const RevisionId& revision, const DayJournal& day) {
  lines_ +=
      json::Writer().text("service", service.text()).text("revision", revision.text()).end_line();
  day.write(lines_);
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
  }
  return days;
}

}  // namespace bellows::autoscaler::history
