#include "cluster/kubernetes/core/set_back.hpp"

#include <algorithm>

namespace bellows::cluster {

bool SetBack::set_back(TimePoint now) {
  while (!times_.empty() && times_.front() <= now - kWithin) times_.pop_front();
  times_.push_back(now);
  const bool was_slow = is_slow(now);
  if (was_slow || static_cast<int>(times_.size()) >= kTimes) slow_until_ = now + kForgotten;
  return !was_slow && is_slow(now);
}

bool SetBack::is_slow(TimePoint now) const {
  return now < slow_until_;
}

TimePoint SetBack::next_order(TimePoint now) const {
  return is_slow(now) ? wrote_ + kSlow : now;
}

int SetBack::times(TimePoint now) const {
  return static_cast<int>(
      std::ranges::count_if(times_, [&](TimePoint at) { return at > now - kWithin; }));
}

}  // namespace bellows::cluster
