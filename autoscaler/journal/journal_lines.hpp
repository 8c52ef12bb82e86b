// A revision's journal as lines that `bellows replay decisions` turns into the same decisions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/core/app_restart.hpp"
#include "autoscaler/core/journal.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::journal {

/// Writes a journal decision by decision, the oldest first. Owner: the writer of the file. Pure.
class JournalWriter {
 public:
  /// `origin`: of a writer whose lines these continue, otherwise it is chosen.
  JournalWriter(RevisionId revision, Duration wall_ahead,
                std::optional<TimePoint> origin = std::nullopt)
      : revision_(std::move(revision)), wall_ahead_(wall_ahead), origin_(origin) {}

  /// The lines of the next decision, which was made from `before` under `settings`. The first call
  /// begins with the snapshot's line, unless it was given an origin.
  std::string lines_of(const Decision& decision, const DeciderState& before,
                       const config::RevisionSettings& settings);

  /// Writes these among the decisions, by their times. The oldest first; before the first line.
  void add_restarts(std::vector<AppRestart> restarts) { restarts_ = std::move(restarts); }
  /// The lines of the restarts after the last decision and before `end`.
  std::string lines_of_restarts(TimePoint end);

  /// From when times count; nothing before the first line.
  std::optional<TimePoint> origin() const { return origin_; }

 private:
  std::string snapshot_line(const Decision& first, const DeciderState& before) const;
  double seconds(TimePoint at) const;

  RevisionId revision_;
  Duration wall_ahead_;
  std::optional<TimePoint> origin_;
  std::optional<config::RevisionSettings> settings_;  // of the last line `spec`
  std::vector<AppRestart> restarts_;
  std::size_t told_ = 0;  // of restarts_
};

/// The first line is `snapshot`, the state before the oldest decision. A line `spec` follows, again
/// wherever the settings changed, and a line for each decision with its whole observation and,
/// under `decided`, the line that its replay prints. Times count from shortly before the first
/// decision. Lines `restarted` stand among them, which a replay ignores. The snapshot's line also
/// names the `service` and its `unix-seconds`, computed from `wall_ahead`, the calendar minus the
/// monotonic time line. Empty before the first decision. Every decision was added with its
/// settings.
std::string journal_lines(const Journal& journal, const RevisionId& revision, Duration wall_ahead,
                          const std::vector<AppRestart>& restarts = {});

}  // namespace bellows::autoscaler::journal
