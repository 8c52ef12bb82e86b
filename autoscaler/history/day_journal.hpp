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
#include "autoscaler/history/row_code.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler::history {

/// The memory of a busy service; a quiet one takes a fifth of it.
inline constexpr Bytes kDayLimit = mebibytes(1);
inline constexpr Duration kDay = std::chrono::hours(24);

/// A decision with what it was made from.
struct DayEntry {
  const Decision& decision;
  const DeciderState& before;
  const SettingsPtr& settings;
};

/// Keeps the observations, as Journal does, and computes the decisions again when they are read:
/// they are equal. Blocks of observations are packed, and the state at the start of each is kept,
/// so that reading starts at any block. The oldest block is dropped when the memory is used up or
/// it is older than a day. Owner: one revision. Pure.
class DayJournal {
 public:
  /// Decisions in a block: two thirds of an hour.
  static constexpr std::uint32_t kBlock = 1200;

  /// `name`: so that the blocks of services that start together are not packed at the same moment.
  explicit DayJournal(std::string_view name);

  /// `decision` was made from `before` and spec_of(*settings), and seen on the grid. Packs a block
  /// now and then: about 0.6 ms. `limit`: see kDayLimit.
  void add(const Decision& decision, const DeciderState& before, const SettingsPtr& settings,
           Bytes limit);

  /// When the oldest decision was made; nothing before the first.
  std::optional<TimePoint> oldest() const;
  /// The memory of it all.
  std::size_t size() const;

  /// Calls `visit` for each decision from `from` to `until`, both included, oldest first, until it
  /// returns false. Costs a microsecond a decision, and as much for those of a block before `from`.
  using Visit = std::function<bool(const DayEntry&)>;
  void visit(TimePoint from, TimePoint until, const Visit& visit) const;

  /// From where on visit() tells the last `count` decisions made until then.
  TimePoint start_of_last(std::size_t count, TimePoint until) const;

 private:
  struct Block {
    TimePoint first;
    TimePoint last;
    std::uint32_t rows = 0;
    std::string text;  // the state at its start and the rows; packed unless it is the newest
    std::size_t raw_size = 0;  // of the text before it was packed; 0: it is not
    std::vector<std::pair<std::uint32_t, SettingsPtr>> settings;  // from which row on
  };

  void open_block(const Decision& first, const DeciderState& before);
  void drop_old(TimePoint now, std::size_t limit);
  static bool visit_block(const Block& block, TimePoint from, TimePoint until, const Visit& visit);

  std::vector<Block> blocks_;  // about 36 in a day
  RowWriter rows_;             // of the newest block
  std::uint32_t next_size_;
};

}  // namespace bellows::autoscaler::history
