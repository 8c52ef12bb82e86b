// The last decisions of one revision, with everything that led to them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "autoscaler/core/decider.hpp"
#include "config/revision_settings.hpp"

namespace bellows::autoscaler {

/// The settings that a spec was resolved from. Shared by all who keep them; never changed.
using SettingsPtr = std::shared_ptr<const config::RevisionSettings>;

struct JournalEntry {
  Decision decision;
  SettingsPtr settings;  ///< as they were added
};

/// Keeps the observation of each decision and the state before the oldest: decide() is pure, so the
/// decisions are computed again when they are read. A ring that overwrites its oldest entry.
/// Allocates only for a new spec. Owner: one revision.
class Journal {
 public:
  static constexpr std::size_t kKept = 32;

  /// Sets the state before the first decision. Call it before add().
  void start_from(DeciderState state) { opening_ = std::move(state); }

  /// `decision` was made from the state after the previous one. `settings` are those that
  /// decision.spec was resolved from; they may be null if entries() is not used for them.
  void add(const Decision& decision, const SettingsPtr& settings);

  std::size_t size() const { return size_; }

  /// The oldest first. Costs one decide() each.
  std::vector<JournalEntry> entries() const;
  /// Nothing before the first decision. Costs as much as entries().
  std::optional<Decision> last() const;
  /// The observation of the newest decision; nullptr before the first.
  const Observation* last_seen() const;

  /// The state before the oldest kept decision: where a replay starts.
  const DeciderState& opening() const { return opening_; }

 private:
  struct Seen {
    TimePoint at;
    Observation seen;
  };
  struct Asked {
    ScalingSpec spec;
    SettingsPtr settings;
  };

  std::uint8_t place_of(const ScalingSpec& spec, const SettingsPtr& settings);
  /// The oldest is 0, the newest is size() - 1.
  std::size_t slot_of(std::size_t index) const { return (next_ + kKept - size_ + index) % kKept; }
  /// Computes the decision of that slot again and moves `state` past it.
  Decision replay(std::size_t slot, DeciderState& state) const;

  std::array<Seen, kKept> ring_{};
  std::array<std::uint8_t, kKept> spec_of_{};  // index into specs_
  std::vector<Asked> specs_;                   // at most one per kept decision, usually one
  std::size_t next_ = 0;
  std::size_t size_ = 0;
  DeciderState opening_;
};

/// Together with the rest of a revision it stays within the bar of docs/architecture.md.
static_assert(sizeof(Journal) + 4 * (sizeof(ScalingSpec) + sizeof(SettingsPtr)) <= 9 * 1024);

}  // namespace bellows::autoscaler
