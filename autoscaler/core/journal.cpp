#include "autoscaler/core/journal.hpp"

#include <algorithm>
#include <utility>

namespace bellows::autoscaler {

void Journal::add(const Decision& decision, const SettingsPtr& settings) {
  if (size_ == kKept) drop_oldest();
  spec_of_[next_] = place_of(decision.spec, settings);
  ring_[next_] = decision;
  next_ = (next_ + 1) % kKept;
  ++size_;
}

Decision Journal::back(std::size_t ago) const {
  return at(index_of(ago));
}

const SettingsPtr& Journal::settings(std::size_t ago) const {
  return specs_[spec_of_[index_of(ago)]].settings;
}

std::optional<Decision> Journal::last() const {
  if (size_ == 0) return std::nullopt;
  return back(0);
}

Decision Journal::at(std::size_t index) const {
  return {ring_[index], specs_[spec_of_[index]].spec};
}

void Journal::drop_oldest() {
  // next_ is the oldest of a full ring.
  remember(opening_, at(next_));
  --size_;
}

std::uint8_t Journal::place_of(const ScalingSpec& spec, const SettingsPtr& settings) {
  // The newest decision's spec is nearly always the same; one look tells if it is of the same
  // settings.
  if (size_ > 0) {
    const std::uint8_t newest = spec_of_[index_of(0)];
    const bool is_of_same_settings = settings && specs_[newest].settings == settings;
    if (is_of_same_settings || specs_[newest].spec == spec) return newest;
  }
  std::array<bool, kKept + 1> is_used{};
  for (std::size_t ago = 0; ago < size_; ++ago) is_used[spec_of_[index_of(ago)]] = true;
  const auto free = std::find(is_used.begin(), is_used.end(), false) - is_used.begin();
  if (std::cmp_equal(free, specs_.size())) specs_.emplace_back();
  specs_[static_cast<std::size_t>(free)] = {spec, settings};
  return static_cast<std::uint8_t>(free);
}

}  // namespace bellows::autoscaler
