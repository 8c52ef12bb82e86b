// The decisions of the last day of one revision, in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/core/journal.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler::history {

/// A day of a service whose every value moves all the time; a quiet one takes a seventh of it.
inline constexpr Bytes kDayLimit = mebibytes(8);
inline constexpr Duration kDay = std::chrono::hours(24);

/// A decision with what it was made from.
struct DayEntry {
  const Decision& decision;
  const DeciderState& before;
  const SettingsPtr& settings;
};

/// Keeps what each decision saw, in the lines of docs/formats/replay.md, and computes the decisions
/// again when they are read: they are equal. Blocks of lines are packed, and each begins with the
/// state of the decider, so that reading starts at any block. The oldest block is dropped when the
/// memory is used up or it is older than a day. Owner: one revision. Pure.
class DayJournal {
 public:
  /// Decisions in a block, at most: ten minutes.
  static constexpr std::uint32_t kBlock = 300;

  /// `name`: so that the blocks of services that start together are not packed at the same moment.
  explicit DayJournal(std::string_view name);

  /// `decision` was made from `before` and scaling_spec(*settings). Packs a block now and then:
  /// about 2 ms. `limit`: see kDayLimit.
  void add(const Decision& decision, const DeciderState& before, const SettingsPtr& settings,
           Bytes limit);

  /// When the oldest decision was made; nothing before the first.
  std::optional<TimePoint> oldest() const;
  /// The memory of it all.
  std::size_t size() const;

  /// Calls `visit` for each decision from `from` to `until`, both included, oldest first, until it
  /// returns false. Costs about ten microseconds a decision, and as much for those of a block
  /// before `from`.
  using Visit = std::function<bool(const DayEntry&)>;
  void visit(TimePoint from, TimePoint until, const Visit& visit) const;

  /// From where on visit() tells the last `count` decisions made until then.
  TimePoint start_of_last(std::size_t count, TimePoint until) const;

 private:
  struct Block {
    TimePoint first;
    TimePoint last;
    std::uint32_t decisions = 0;
    std::string text;  // the state at its start, and a line each; packed unless it is the newest
    std::size_t raw_size = 0;  // of the text before it was packed; 0: it is not
    std::vector<std::pair<std::uint32_t, SettingsPtr>> settings;  // from which decision on
  };

  bool is_full(std::size_t limit) const;
  void open_block(const Decision& first, const DeciderState& before);
  void drop_old(TimePoint now, std::size_t limit);
  static bool visit_block(const Block& block, TimePoint from, TimePoint until, const Visit& visit);

  std::vector<Block> blocks_;  // about 150 in a day
  std::uint32_t next_size_;
};

}  // namespace bellows::autoscaler::history
