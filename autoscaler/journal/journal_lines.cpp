#include "autoscaler/journal/journal_lines.hpp"

#include <vector>

#include "autoscaler/journal/decision_json.hpp"
#include "autoscaler/journal/spec_json.hpp"
#include "autoscaler/journal/state_json.hpp"
#include "base/check.hpp"
#include "json/seconds.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {
namespace {

using json::Writer;

/// Small numbers are exact. The delay window moves in slots, so the replay starts at the same
/// position in a slot.
TimePoint origin_of(const Decision& first) {
  return first.at - first.at.time_since_epoch() % DelayWindow::kSlot;
}

/// Milliseconds: for people.
double unix_seconds(TimePoint at, Duration wall_ahead) {
  const Duration unix = at.time_since_epoch() + wall_ahead;
  return static_cast<double>(to_milliseconds(unix)) / 1000;
}

std::string spec_line(const config::RevisionSettings& settings,
                      const config::RevisionSettings* before, double seconds) {
  Writer line;
  line.number("at", seconds);
  write_spec(line, settings, before);
  return line.end_line();
}

std::string decision_line(const Decision& decision, double seconds) {
  Writer line;
  line.number("at", seconds);
  write_seen(line, decision);
  line.open("decided");
  write_answer(line, decision, seconds);
  line.close();
  return line.end_line();
}

}  // namespace

std::string journal_lines(const Journal& journal, const RevisionId& revision, Duration wall_ahead) {
  const std::vector<JournalEntry> entries = journal.entries();
  if (entries.empty()) return {};
  const Decision& first = entries.front().decision;
  const TimePoint origin = origin_of(first);
  const auto seconds = [&](TimePoint at) { return json::seconds_number(at - origin); };
  Writer snapshot;
  snapshot.number("at", seconds(first.at))
      .text("service", revision.text())
      .number("unix-seconds", unix_seconds(first.at, wall_ahead));
  write_state(snapshot, "snapshot", journal.opening(), first.at);
  std::string lines = snapshot.end_line();
  const config::RevisionSettings* settings = nullptr;
  for (const JournalEntry& entry : entries) {
    const config::RevisionSettings* asked = entry.settings.get();
    CHECK(asked != nullptr, "a journal that is exported keeps the settings of its decisions");
    const double at = seconds(entry.decision.at);
    if (asked != settings) lines += spec_line(*asked, settings, at);
    settings = asked;
    lines += decision_line(entry.decision, at);
  }
  return lines;
}

}  // namespace bellows::autoscaler::journal
