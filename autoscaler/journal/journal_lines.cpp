#include "autoscaler/journal/journal_lines.hpp"

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
  return first.at - first.at.time_since_epoch() % kEvaluationPeriod;
}

/// Rounds to milliseconds, for readers.
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

double JournalWriter::seconds(TimePoint at) const {
  return json::seconds_number(at - *origin_);
}

std::string JournalWriter::snapshot_line(const Decision& first, const DeciderState& before) const {
  Writer line;
  line.number("at", seconds(first.at))
      .text("service", revision_.text())
      .number("unix-seconds", unix_seconds(first.at, wall_ahead_));
  write_state(line, "snapshot", before, first.at);
  return line.end_line();
}

std::string JournalWriter::lines_of(const Decision& decision, const DeciderState& before,
                                    const config::RevisionSettings& settings) {
  std::string lines;
  if (!origin_) {
    origin_ = origin_of(decision);
    lines = snapshot_line(decision, before);
    (void)lines_of_restarts(decision.at);  // omits the restarts before the first line
  }
  lines += lines_of_restarts(decision.at);
  const double at = seconds(decision.at);
  if (settings_ != settings) {
    lines += spec_line(settings, settings_ ? &*settings_ : nullptr, at);
    settings_ = settings;
  }
  return lines + decision_line(decision, at);
}

std::string JournalWriter::lines_of_restarts(TimePoint end) {
  std::string lines;
  for (; told_ < restarts_.size() && restarts_[told_].at < end; ++told_) {
    const AppRestart& restart = restarts_[told_];
    if (!origin_ || restart.at < *origin_) continue;
    Writer line;
    line.number("at", seconds(restart.at)).text("restarted", restart.replica.text());
    line.integer("restarts", restart.restarts).text("because", restart.because);
    lines += line.end_line();
  }
  return lines;
}

std::string journal_lines(const Journal& journal, const RevisionId& revision, Duration wall_ahead,
                          const std::vector<AppRestart>& restarts) {
  JournalWriter writer(revision, wall_ahead);
  writer.add_restarts(restarts);
  std::string lines;
  for (const JournalEntry& entry : journal.entries()) {
    CHECK(entry.settings != nullptr,
          "a journal that is exported keeps the settings of its decisions");
    lines += writer.lines_of(entry.decision, journal.opening(), *entry.settings);
  }
  return lines + writer.lines_of_restarts(TimePoint::max());
}

}  // namespace bellows::autoscaler::journal
