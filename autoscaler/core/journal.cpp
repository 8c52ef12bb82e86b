#include "autoscaler/core/journal.hpp"

#include <algorithm>
#include <utility>

namespace bellows::autoscaler {

void Journal::add(const Decision& decision, const SettingsPtr& settings) {
  if (size_ == kKept) {
    replay(slot_of(0), opening_);
    --size_;
  }
  ring_[next_] = {decision.at, decision.seen};
  spec_of_[next_] = place_of(decision.spec, settings);
  next_ = (next_ + 1) % kKept;
  ++size_;
}

std::vector<JournalEntry> Journal::entries() const {
  std::vector<JournalEntry> entries;
  entries.reserve(size_);
  DeciderState state = opening_;
  for (std::size_t index = 0; index < size_; ++index) {
    const std::size_t slot = slot_of(index);
    entries.push_back({replay(slot, state), specs_[spec_of_[slot]].settings});
  }
  return entries;
}

std::optional<Decision> Journal::last() const {
  std::optional<Decision> last;
  DeciderState state = opening_;
  for (std::size_t index = 0; index < size_; ++index) last = replay(slot_of(index), state);
  return last;
}

const Observation* Journal::last_seen() const {
  return size_ == 0 ? nullptr : &ring_[slot_of(size_ - 1)].seen;
}

Decision Journal::replay(std::size_t slot, DeciderState& state) const {
  const Seen& then = ring_[slot];
  Decision decision = decide(specs_[spec_of_[slot]].spec, then.seen, state, then.at);
  remember(state, decision);
  return decision;
}

std::uint8_t Journal::place_of(const ScalingSpec& spec, const SettingsPtr& settings) {
  // The newest decision's spec is nearly always the same; comparing the
  // settings is enough then.
  if (size_ > 0) {
    const std::uint8_t newest = spec_of_[slot_of(size_ - 1)];
    const bool is_of_same_settings = settings && specs_[newest].settings == settings;
    if (is_of_same_settings || specs_[newest].spec == spec) return newest;
  }
  std::array<bool, kKept + 1> is_used{};
  for (std::size_t index = 0; index < size_; ++index) is_used[spec_of_[slot_of(index)]] = true;
  const auto free = std::find(is_used.begin(), is_used.end(), false) - is_used.begin();
  if (std::cmp_equal(free, specs_.size())) specs_.emplace_back();
  specs_[static_cast<std::size_t>(free)] = {spec, settings};
  return static_cast<std::uint8_t>(free);
}

}  // namespace bellows::autoscaler
