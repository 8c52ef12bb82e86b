// The last decisions of one revision, with everything that led to them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "autoscaler/core/decider.hpp"
#include "config/revision_settings.hpp"

namespace bellows::autoscaler {

/// The settings that a spec was resolved from. Shared by all who keep them; never changed.
using SettingsPtr = std::shared_ptr<const config::RevisionSettings>;

/// A ring; the oldest decision makes room for the newest. Allocates only for a spec it did not hold
/// yet. Owner: one revision.
class Journal {
 public:
  static constexpr std::size_t kKept = 32;

  /// `settings` are those that decision.spec was resolved from; they may be null if nobody asks
  /// for them.
  void add(const Decision& decision, const SettingsPtr& settings);

  std::size_t size() const { return size_; }
  /// The newest is 0, the oldest is size() - 1.
  Decision back(std::size_t ago) const;
  /// Of the decision that is so far back.
  const SettingsPtr& settings(std::size_t ago) const;
  /// Nothing before the first decision.
  std::optional<Decision> last() const;

  /// The state that the oldest kept decision was taken from: where a replay begins. Until a
  /// decision was dropped it is what start_from() gave.
  const DeciderState& opening() const { return opening_; }
  void start_from(DeciderState state) { opening_ = std::move(state); }

 private:
  struct Asked {
    ScalingSpec spec;
    SettingsPtr settings;
  };

  std::uint8_t place_of(const ScalingSpec& spec, const SettingsPtr& settings);
  std::size_t index_of(std::size_t ago) const { return (next_ + kKept - 1 - ago) % kKept; }
  Decision at(std::size_t index) const;
  void drop_oldest();

  std::array<Outcome, kKept> ring_{};
  std::array<std::uint8_t, kKept> spec_of_{};  // index into specs_
  std::vector<Asked> specs_;                   // at most one per kept decision; most often one
  std::size_t next_ = 0;
  std::size_t size_ = 0;
  DeciderState opening_;
};

/// With its journal a revision stays within the memory that docs/architecture.md grants it.
static_assert(sizeof(Journal) + 4 * (sizeof(ScalingSpec) + sizeof(SettingsPtr)) <= 16 * 1024);

}  // namespace bellows::autoscaler
