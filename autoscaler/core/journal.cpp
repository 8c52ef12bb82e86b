#include "autoscaler/core/journal.hpp"

#include <algorithm>
#include <utility>

namespace bellows::autoscaler {

/// Without requests nothing changes but the time since the last one.
Observation Journal::Run::seen_at(TimePoint then) const {
  Observation then_seen = seen;
  if (then_seen.idle_for) *then_seen.idle_for += then - at;
  return then_seen;
}

void Journal::add(const Decision& decision, const SettingsPtr& settings) {
  if (size_ == kKept) drop_oldest();
  const std::uint8_t spec = place_of(decision.spec, settings);
  if (!runs_.empty() && runs_.back().spec == spec &&
      runs_.back().seen_at(decision.at) == decision.seen) {
    ++runs_.back().count;
  } else {
    if (runs_.full()) runs_.set_capacity(std::clamp<std::size_t>(2 * runs_.size(), 1, kKept));
    runs_.push_back({.seen = decision.seen, .at = decision.at, .spec = spec, .count = 1});
  }
  at_[next_] = decision.at;
  next_ = (next_ + 1) % kKept;
  ++size_;
}

void Journal::drop_oldest() {
  Run& oldest = runs_.front();
  replay(oldest, at_[next_], opening_);
  --size_;
  if (--oldest.count == 0) runs_.pop_front();
}

template <class F>
void Journal::for_each(F&& visit) const {
  std::size_t slot = (next_ + kKept - size_) % kKept;
  for (const Run& run : runs_) {
    for (std::uint8_t i = 0; i < run.count; ++i) {
      visit(run, at_[slot]);
      slot = (slot + 1) % kKept;
    }
  }
}

std::vector<JournalEntry> Journal::entries() const {
  std::vector<JournalEntry> entries;
  entries.reserve(size_);
  DeciderState state = opening_;
  for_each([&](const Run& run, TimePoint at) {
    entries.push_back({replay(run, at, state), specs_[run.spec].settings});
  });
  return entries;
}

std::optional<Decision> Journal::last() const {
  std::optional<Decision> last;
  DeciderState state = opening_;
  for_each([&](const Run& run, TimePoint at) { last = replay(run, at, state); });
  return last;
}

std::optional<Observation> Journal::last_seen() const {
  if (runs_.empty()) return std::nullopt;
  return runs_.back().seen_at(at_[(next_ + kKept - 1) % kKept]);
}

Decision Journal::replay(const Run& run, TimePoint at, DeciderState& state) const {
  Decision decision = decide(specs_[run.spec].spec, run.seen_at(at), state, at);
  remember(state, decision);
  return decision;
}

std::uint8_t Journal::place_of(const ScalingSpec& spec, const SettingsPtr& settings) {
  // The newest decision's spec is nearly always the same; comparing the
  // settings is enough then.
  if (!runs_.empty()) {
    const std::uint8_t newest = runs_.back().spec;
    const bool is_of_same_settings = settings && specs_[newest].settings == settings;
    if (is_of_same_settings || specs_[newest].spec == spec) return newest;
  }
  std::array<bool, kKept + 1> is_used{};
  for (const Run& run : runs_) is_used[run.spec] = true;
  const auto free = std::find(is_used.begin(), is_used.end(), false) - is_used.begin();
  if (std::cmp_equal(free, specs_.size())) specs_.emplace_back();
  specs_[static_cast<std::size_t>(free)] = {spec, settings};
  return static_cast<std::uint8_t>(free);
}

}  // namespace bellows::autoscaler
