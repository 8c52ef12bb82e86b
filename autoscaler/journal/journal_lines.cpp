#include "autoscaler/journal/journal_lines.hpp"

#include <algorithm>

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
  const Duration into = first.at.time_since_epoch() % kEvaluationPeriod;
  return first.at - (into < Duration::zero() ? into + kEvaluationPeriod : into);
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

template <class Event>
TimePoint at_of(const Event& event) {
  return std::visit([](const auto& each) { return each.at; }, event);
}

}  // namespace

double JournalWriter::seconds(TimePoint at) const {
  return json::seconds_number(at - *origin_);
}

const RevisionId& ShareChange::leading() const {
  auto best = shares.begin();
  for (auto it = shares.begin(); it != shares.end(); ++it) {
    if (it->second >= best->second) best = it;
  }
  return best->first;
}

JournalWriter::JournalWriter(RevisionId service, Duration wall_ahead,
                             const std::optional<Begun>& begun)
    : service_(std::move(service)), wall_ahead_(wall_ahead) {
  if (!begun) return;
  origin_ = begun->origin;
  revision_ = begun->revision;
}

void JournalWriter::decide_for(const RevisionId& revision, std::optional<TimePoint> since) {
  since_ = since;
  if (revision == revision_) return;
  revision_ = revision;
  is_other_ = true;
}

/// The decider of another revision begins anew.
std::string JournalWriter::snapshot_line(const Decision& first, const DeciderState& before,
                                         bool is_switch) const {
  Writer line;
  line.number("at", seconds(first.at)).text("service", service_.text());
  if (!revision_.empty()) line.text("revision", revision_.text());
  if (since_) line.number("revision-since", unix_seconds(*since_, wall_ahead_));
  line.number("unix-seconds", unix_seconds(first.at, wall_ahead_));
  if (is_switch) line.flag("new", true);
  write_state(line, "snapshot", before, first.at);
  return line.end_line();
}

std::string JournalWriter::lines_of(const Decision& decision, const DeciderState& before,
                                    const config::RevisionSettings& settings) {
  std::string lines;
  const bool is_first = !origin_;
  if (is_first) {
    origin_ = origin_of(decision);
    (void)lines_of_events(decision.at);  // omits those before the first line
  }
  lines += lines_of_events(decision.at);
  if (is_first || is_other_) {
    lines += snapshot_line(decision, before, !is_first);
    settings_.reset();
    is_other_ = false;
  }
  const double at = seconds(decision.at);
  if (settings_ != settings) {
    lines += spec_line(settings, settings_ ? &*settings_ : nullptr, at);
    settings_ = settings;
  }
  return lines + decision_line(decision, at);
}

std::string JournalWriter::line_of(const AppRestart& restart) const {
  Writer line;
  line.number("at", seconds(restart.at)).text("restarted", restart.replica.text());
  line.integer("restarts", restart.restarts).text("because", restart.because);
  return line.end_line();
}

std::string JournalWriter::line_of(const ShareChange& change) const {
  Writer line;
  line.number("at", seconds(change.at)).open("shares");
  for (const auto& [revision, share] : change.shares) line.integer(revision.text(), share);
  return line.close().end_line();
}

std::string JournalWriter::line_of(const ProcessEnd& end) const {
  Writer line;
  line.number("at", seconds(end.at)).text("ended", end.is_stopped ? "stopped" : "killed");
  return line.end_line();
}

void JournalWriter::sort_events() {
  std::ranges::stable_sort(events_, {}, at_of<Event>);
}

std::string JournalWriter::lines_of_events(TimePoint end) {
  std::string lines;
  for (; told_ < events_.size() && at_of(events_[told_]) < end; ++told_) {
    if (!origin_ || at_of(events_[told_]) < *origin_) continue;
    lines += std::visit([this](const auto& event) { return line_of(event); }, events_[told_]);
  }
  return lines;
}

std::string journal_lines(const Journal& journal, JournalWriter writer) {
  std::string lines;
  for (const JournalEntry& entry : journal.entries()) {
    CHECK(entry.settings != nullptr,
          "a journal that is exported keeps the settings of its decisions");
    lines += writer.lines_of(entry.decision, journal.opening(), *entry.settings);
  }
  return lines + writer.lines_of_events(TimePoint::max());
}

}  // namespace bellows::autoscaler::journal
