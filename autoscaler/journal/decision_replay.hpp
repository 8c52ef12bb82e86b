// Computes decisions from lines: the core of `bellows replay decisions` (docs/formats/replay.md).
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/core/load/activator_queues.hpp"
#include "autoscaler/core/load/load_windows.hpp"
#include "autoscaler/journal/journal_lines.hpp"
#include "autoscaler/journal/spec_json.hpp"
#include "json/object.hpp"
#include "replay/filter.hpp"

namespace bellows::autoscaler::journal {

/// One revision in virtual time: takes one line after the other and decides at evaluation lines.
/// Pure. Owner: a filter or the reader of a journal.
class DecisionReplay {
 public:
  /// `profile` applies unless a spec names another one.
  explicit DecisionReplay(std::string_view profile) : profile_(profile), spec_reader_(profile) {}

  struct Decided {
    double at = 0;  ///< as in the line
    Decision decision;
  };
  /// Applies a line. Returns nullopt for a line without evaluation. kMalformed names line, key,
  /// value and what is valid; the replay must not be used after it.
  Result<std::optional<Decided>> take(const json::Object& line);

  /// Returns the idle times at the last decision. There must have been one.
  const IdleTimes& idle_times() const { return decider_->state.idle_times; }

 private:
  struct Decider {
    Spec spec;
    DeciderState state;
    LoadWindows windows;
    ActivatorQueues queues;
  };

  Result<void> reset_if_asked(const json::Object& line);
  Result<void> take_ready(const json::Object& line);
  Result<void> specify(const json::Object& line, TimePoint at);
  Result<void> restore(const json::Object& line, TimePoint at);
  Result<void> record(const json::Object& line, TimePoint at);
  Result<Decision> evaluate(const json::Object& line, bool is_given, TimePoint at);
  DeciderState first_state(const Spec& spec, TimePoint at) const;
  Observation look(bool is_given, TimePoint at);

  std::string_view profile_;
  SpecReader spec_reader_;
  replay::VirtualClock clock_;
  std::optional<DeciderState> snapshot_;  // from before the first spec
  std::optional<Decider> decider_;
  std::optional<PodCount> ready_;  // as last given
  bool has_decided_ = false;
  std::uint64_t reports_ = 0;
};

/// The decisions of one revision within the journal of its service.
struct RevisionDecisions {
  std::size_t first = 0;  ///< index of the first one; they end where those of the next begin
  std::string revision;
  std::optional<WallTime> since;  ///< it has most requests since then; nullopt: always
};

/// The content of a journal: the decisions, computed again from its lines, oldest first.
struct JournalContents {
  std::string service;                       ///< empty if the journal does not name it
  Duration wall_ahead{};                     ///< the calendar minus the time line of the decisions
  bool has_calendar = false;                 ///< false: wall_ahead is unknown
  std::vector<RevisionDecisions> revisions;  ///< oldest first; empty: the journal names none
  std::vector<ProcessEnd> ends;              ///< of processes, oldest first
  std::vector<Decision> decisions;
  std::vector<IdleTimes> idle_times;  ///< as known at each of the decisions
};

/// Reads a journal. kMalformed names the line, as `bellows replay decisions` does.
Result<JournalContents> read_journal(std::istream& lines);

}  // namespace bellows::autoscaler::journal
