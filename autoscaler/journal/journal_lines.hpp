// The journal of a revision, or of a service over its revisions, as lines that `bellows replay
// decisions` turns into the same decisions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
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

/// The shares of the requests of a service that its listed revisions have from `at` on. A deploy, a
/// rollback or a split changes them.
struct ShareChange {
  TimePoint at;
  std::map<RevisionId, std::int32_t> shares;  ///< percent, by revision

  /// Returns the revision with the largest share, the newest of equals. There is one.
  const RevisionId& leading() const;
  bool operator==(const ShareChange&) const = default;
};

/// The end of a process that made decisions. Those from `at` on, until the next process, are not
/// known, or were not made.
struct ProcessEnd {
  TimePoint at;             ///< its last decision was made before
  bool is_stopped = false;  ///< false: it was killed, after it had written its decisions until then

  bool operator==(const ProcessEnd&) const = default;
};

/// Writes a journal decision by decision, the oldest first. Owner: the writer of the file. Pure.
class JournalWriter {
 public:
  /// The end of the lines that others continue.
  struct Begun {
    TimePoint origin;
    RevisionId revision;  ///< of the last decision
  };
  /// `begun`: the end of the lines that these continue; nullopt: they begin a journal.
  JournalWriter(RevisionId service, Duration wall_ahead,
                const std::optional<Begun>& begun = std::nullopt);

  /// Sets the revision of the next decisions. `since`: the instant from which on it has had most of
  /// the requests; nullopt: it has always had them.
  void decide_for(const RevisionId& revision, std::optional<TimePoint> since);

  /// Says that the decider of the next decision began anew: with another process.
  void begin_anew() { is_other_ = true; }

  /// Returns the lines of the next decision, which was made from `before` under `settings`. The
  /// first one of a journal, and the first one of another revision, has the line of the snapshot
  /// before it.
  std::string lines_of(const Decision& decision, const DeciderState& before,
                       const config::RevisionSettings& settings);

  /// Adds the restarts, which are written among the decisions by their times. Call it
  /// before the first line.
  void add_restarts(const std::vector<AppRestart>& restarts) { add_events(restarts); }
  /// Adds the changes of shares, likewise.
  void add_changes(const std::vector<ShareChange>& changes) { add_events(changes); }
  /// Adds the ends of processes, likewise.
  void add_ends(const std::vector<ProcessEnd>& ends) { add_events(ends); }
  /// Returns the lines of these events after the last decision and before `end`.
  std::string lines_of_events(TimePoint end);

  /// Returns the end of the lines. There has been a decision.
  Begun begun() const { return {*origin_, revision_}; }

 private:
  using Event = std::variant<AppRestart, ShareChange, ProcessEnd>;

  template <class T>
  void add_events(const std::vector<T>& events) {
    events_.insert(events_.end(), events.begin(), events.end());
    sort_events();
  }
  void sort_events();
  std::string snapshot_line(const Decision& first, const DeciderState& before,
                            bool is_switch) const;
  std::string line_of(const AppRestart& restart) const;
  std::string line_of(const ShareChange& change) const;
  std::string line_of(const ProcessEnd& end) const;
  double seconds(TimePoint at) const;

  RevisionId service_;
  Duration wall_ahead_;
  std::optional<TimePoint> origin_;
  RevisionId revision_;                               // of the next decision
  std::optional<TimePoint> since_;                    // see decide_for()
  bool is_other_ = false;                             // than that of the last decision
  std::optional<config::RevisionSettings> settings_;  // of the last line `spec`
  std::vector<Event> events_;                         // oldest first
  std::size_t told_ = 0;                              // of them
};

/// Returns the lines of a journal, with the events of `writer`, which has written nothing yet. The
/// first line is `snapshot`, the state before the oldest decision. A line `spec` follows, and again
/// after each change of the settings. Each decision has a line with its whole observation and,
/// under `decided`, the line that its replay prints. Times count from shortly before the first
/// decision. Lines `restarted`, `shares` and `ended` are among them, which a replay ignores. The
/// line of the snapshot also has the `service`, its `revision` and its `unix-seconds`, computed
/// from the calendar minus the monotonic time line. The result is empty before the first decision.
/// Every decision was added with its settings.
std::string journal_lines(const Journal& journal, JournalWriter writer);

}  // namespace bellows::autoscaler::journal
