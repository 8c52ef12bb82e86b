// A revision's journal as lines that `bellows replay decisions` turns into the same decisions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/core/journal.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::journal {

/// A restart of the app of a replica.
struct AppRestart {
  TimePoint at;  ///< when it was seen
  PodName replica;
  int restarts = 0;     ///< of that replica so far
  std::string because;  ///< "the app exited with code 3"; empty: not known

  bool operator==(const AppRestart&) const = default;
};

/// Writes a journal decision by decision, the oldest first. Owner: the writer of the file. Pure.
class JournalWriter {
 public:
  /// `origin` is that of the writer whose lines these continue; nullopt: a new one.
  JournalWriter(RevisionId revision, Duration wall_ahead,
                std::optional<TimePoint> origin = std::nullopt)
      : revision_(std::move(revision)), wall_ahead_(wall_ahead), origin_(origin) {}

  /// Returns the lines of the next decision, which was made from `before` under `settings`. Without
  /// a given origin the first call begins with the line of the snapshot.
  std::string lines_of(const Decision& decision, const DeciderState& before,
                       const config::RevisionSettings& settings);

  /// Sets the restarts, oldest first, which are written among the decisions by their times. Call it
  /// before the first line.
  void add_restarts(std::vector<AppRestart> restarts) { restarts_ = std::move(restarts); }
  /// Returns the lines of the restarts after the last decision and before `end`.
  std::string lines_of_restarts(TimePoint end);

  /// Returns the origin of the times; nullopt before the first line.
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

/// Returns the lines of a journal. The first line is `snapshot`, the state before the oldest
/// decision. A line `spec` follows, and again after each change of the settings. Each decision has
/// a line with its whole observation and, under `decided`, the line that its replay prints. Times
/// count from shortly before the first decision. Lines `restarted` are among them, which a replay
/// ignores. The line of the snapshot also has the `service` and its `unix-seconds`, computed from
/// `wall_ahead`, the calendar minus the monotonic time line. The result is empty before the first
/// decision. Every decision was added with its settings.
std::string journal_lines(const Journal& journal, const RevisionId& revision, Duration wall_ahead,
                          const std::vector<AppRestart>& restarts = {});

}  // namespace bellows::autoscaler::journal
