#include "queue-proxy/core/liveness.hpp"

namespace bellows::queue_proxy {

void Liveness::app_ready(TimePoint now) {
  if (next_probe_ || is_hung_) return;
  next_probe_ = now + schedule_.period;
  lives(now);
}

void Liveness::rest() {
  next_probe_.reset();
  failures_ = 0;
  is_hung_ = false;
  reason_.clear();
}

void Liveness::probe_succeeded(TimePoint now) {
  if (next_probe_) lives(now);
}

void Liveness::probe_failed(std::string_view why, LivenessFailure how, bool has_answered,
                            TimePoint now) {
  if (!next_probe_) return;
  if (how == LivenessFailure::kNoAnswer && has_answered) return lives(now);
  if (++failures_ < schedule_.failures_until_hung) return;
  is_hung_ = true;
  next_probe_.reset();
  reason_ = failures_ == 1 ? "a liveness probe failed"
                           : std::to_string(failures_) + " liveness probes failed in a row";
  reason_ += ": ";
  reason_ += why;
}

void Liveness::lives(TimePoint now) {
  failures_ = 0;
  last_sign_ = now;
}

}  // namespace bellows::queue_proxy
