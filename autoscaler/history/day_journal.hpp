// The decisions of the last day of one revision, in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/core/journal.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "json/object.hpp"

namespace bellows::autoscaler::history {

/// The memory of a day of a service whose values all change at each decision; a quiet service takes
/// a seventh of it.
inline constexpr Bytes kDayLimit = mebibytes(8);
inline constexpr Duration kDay = std::chrono::hours(24);

/// A decision with its input.
struct DayEntry {
  const Decision& decision;
  const DeciderState& before;
  const SettingsPtr& settings;
  bool begins =
      false;  ///< its decider began with it, so its state is not that after the one before
};

/// Keeps the observation of each decision, in the lines of docs/formats/replay.md. A read computes
/// the decisions again, with equal results. Blocks of lines are packed; each begins with the state
/// of the decider, so that a read starts at any block. The oldest block is removed when the memory
/// is full or the block is older than a day. Owner: one revision. Pure.
class DayJournal {
 public:
  /// Maximum of decisions in a block: ten minutes.
  static constexpr std::uint32_t kBlock = 300;

  /// `name` spreads the times of packing over the services that start together.
  explicit DayJournal(std::string_view name);

  /// Adds a decision, which was made from `before` and scaling_spec(*settings). Sometimes it packs
  /// a block, which takes about 2 ms. `limit`: see kDayLimit.
  void add(const Decision& decision, const DeciderState& before, const SettingsPtr& settings,
           Bytes limit);

  /// Returns the blocks with decisions from `from` on. It shares what is packed, so it is cheap.
  DayJournal since(TimePoint from) const;

  /// Appends a line of JSON for each block.
  void write(std::string& lines) const;
  /// Adds a block of such a line, with instants later by `by`. Decisions that follow begin anew.
  Result<void> read(const json::Object& line, Duration by);
  /// Adds the blocks of a later part of the same day. They replace those which they overlap,
  /// because the newest block grows.
  void append(DayJournal later);

  /// Returns the time of the oldest decision; nullopt before the first.
  std::optional<TimePoint> oldest() const;
  /// Returns the time of the newest decision. There is one.
  TimePoint newest() const { return blocks_.back().last; }
  /// Returns the memory of all blocks.
  std::size_t size() const;

  /// Calls `visit` for each decision from `from` to `until`, both included, oldest first, until it
  /// returns false. Costs about ten microseconds a decision, and as much for those of a block
  /// before `from`.
  using Visit = std::function<bool(const DayEntry&)>;
  void visit(TimePoint from, TimePoint until, const Visit& visit) const;

  /// Returns the time from which visit() visits the last `count` decisions made until `until`.
  TimePoint start_of_last(std::size_t count, TimePoint until) const;

 private:
  DayJournal() = default;

  struct Block {
    TimePoint first;
    TimePoint last;
    std::uint32_t decisions = 0;
    std::string text;          // the state at its start, and a line each; empty: it is packed
    std::size_t raw_size = 0;  // size of the text before packing; 0: not packed
    // Owners: the block and its copies in since().
    std::shared_ptr<const std::string> packed;
    bool begins = false;  // see DayEntry, of its first decision
    std::vector<std::pair<std::uint32_t, SettingsPtr>> settings;  // in force from that decision on
  };

  bool is_full(std::size_t limit) const;
  void open_block(const Decision& first, const DeciderState& before);
  void drop_old(TimePoint now, std::size_t limit);
  static bool visit_block(const Block& block, TimePoint from, TimePoint until, const Visit& visit);

  std::vector<Block> blocks_;  // about 150 in a day
  std::uint32_t next_size_ = kBlock;
};

}  // namespace bellows::autoscaler::history
