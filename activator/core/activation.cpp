#include "activator/core/activation.hpp"

namespace bellows::activator {

bool Activation::wake_now(std::size_t waiting, bool anything_ready, TimePoint now) {
  if (waiting == 0 || anything_ready) {
    first_wake_.reset();
    last_wake_.reset();
    return false;
  }
  if (last_wake_ && now - *last_wake_ < kWakeAgainAfter) return false;
  last_wake_ = now;
  if (!first_wake_) first_wake_ = now;
  return true;
}

Duration Activation::woken_for(TimePoint now) const {
  return first_wake_ ? now - *first_wake_ : Duration::zero();
}

std::optional<TimePoint> Activation::next_wake() const {
  if (!last_wake_) return std::nullopt;
  return *last_wake_ + kWakeAgainAfter;
}

}  // namespace bellows::activator
