#include "cluster/kubernetes/core/outage.hpp"

namespace bellows::cluster {

void Outage::lost(TimePoint now) {
  if (since_) return;
  since_ = now;
  is_confirmed_ = false;
}

void Outage::regained(TimePoint now, double fraction) {
  if (!since_) return;
  since_.reset();
  ready_at_ = now + from_seconds(to_seconds(kMaxDelay) * fraction);
}

Outage::Answer Outage::may_order(bool is_down, TimePoint now) const {
  if (since_) return Answer::kUnreachable;
  if (is_down && !is_confirmed_) return Answer::kUnconfirmed;
  return now < ready_at_ ? Answer::kTooEarly : Answer::kSend;
}

}  // namespace bellows::cluster
