// The last decisions of one revision, with everything that led to them.
#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "autoscaler/core/decider.hpp"
#include "config/shared_settings.hpp"

namespace bellows::autoscaler {

/// The settings that a spec was resolved from.
using config::SettingsPtr;

struct JournalEntry {
  Decision decision;
  SettingsPtr settings;  ///< as they were added
};

/// Keeps the observation of each decision and the state before the oldest: decide() is pure, so the
/// decisions are computed again when they are read. The oldest entry is dropped for a new one.
/// Neighbours that differ by the time since the last request alone share one observation, so a
/// revision without requests takes a sixth of the memory of a busy one. Allocates for a new spec
/// and for the first kKept different observations. Owner: one revision.
class Journal {
 public:
  static constexpr std::size_t kKept = 32;

  /// Sets the state before the first decision. Call it before add().
  void start_from(DeciderState state) { opening_ = std::move(state); }

  /// `decision` was made from the state after the previous one. `settings` are those that
  /// decision.spec was resolved from; they may be null if entries() is not used for them.
  void add(const Decision& decision, const SettingsPtr& settings);

  std::size_t size() const { return size_; }

  /// Returns all, the oldest first. Costs one decide() each.
  std::vector<JournalEntry> entries() const;
  /// Returns nothing before the first decision. Costs as much as entries().
  std::optional<Decision> last() const;
  /// Returns the observation of the newest decision; nothing before the first.
  std::optional<Observation> last_seen() const;

  /// The state before the oldest kept decision: where a replay starts.
  const DeciderState& opening() const { return opening_; }

 private:
  /// The observation of a decision, and of equal ones after it.
  struct Run {
    Observation seen;        // of the first of them that was added
    TimePoint at;            // of the same
    std::uint8_t spec = 0;   // index into specs_
    std::uint8_t count = 0;  // of decisions that are still kept; more than 0

    /// Returns the observation of a decision at `then`.
    Observation seen_at(TimePoint then) const;
  };
  struct Asked {
    ScalingSpec spec;
    SettingsPtr settings;
  };

  std::uint8_t place_of(const ScalingSpec& spec, const SettingsPtr& settings);
  void drop_oldest();
  /// Calls `visit` with the run and the time of each decision, the oldest first.
  template <class F>
  void for_each(F&& visit) const;
  /// Computes the decision of that time again and moves `state` past it.
  Decision replay(const Run& run, TimePoint at, DeciderState& state) const;

  std::array<TimePoint, kKept> at_{};  // a ring: the oldest is size_ before next_
  std::size_t next_ = 0;
  std::size_t size_ = 0;
  boost::circular_buffer<Run> runs_;  // the oldest first; grows up to kKept
  std::vector<Asked> specs_;          // at most one per kept decision, usually one
  DeciderState opening_;

  /// Together with the rest of a revision it stays within the bar of docs/architecture.md.
  static_assert(kKept * (sizeof(Run) + sizeof(TimePoint)) +
                    4 * (sizeof(ScalingSpec) + sizeof(SettingsPtr)) + sizeof(DeciderState) <=
                10 * 1024 + 512);
};

}  // namespace bellows::autoscaler
