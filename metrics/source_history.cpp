#include "metrics/source_history.hpp"

#include "base/check.hpp"

namespace bellows::metrics {

SourceHistory::SourceHistory(Duration window, std::size_t max) : window_(window), max_(max) {
  CHECK(window > Duration::zero() && max > 0, "a history holds something");
}

void SourceHistory::add(const Stat& stat, TimePoint now) {
  forget_old(now);
  if (seconds_.size() == max_) forget_oldest();
  seconds_.push_back({stat, now - stat.age});
}

std::optional<Stat> SourceHistory::next(TimePoint now) {
  forget_old(now);
  if (waiting() == 0) return std::nullopt;
  ClosedSecond& second = seconds_[sent_++];
  second.is_sent = true;
  Stat stat = second.stat;
  stat.age = now - second.end;
  return stat;
}

void SourceHistory::replay() {
  sent_ = 0;
}

// Several sources add in the order in which they close their seconds, so the front is the oldest
// within far less than a second.
void SourceHistory::forget_old(TimePoint now) {
  while (!seconds_.empty() && now - seconds_.front().end > window_) forget_oldest();
}

void SourceHistory::forget_oldest() {
  if (!seconds_.front().is_sent) ++dropped_;
  if (sent_ > 0) --sent_;
  seconds_.pop_front();
}

}  // namespace bellows::metrics
