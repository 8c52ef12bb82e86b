#include "queue-proxy/core/readiness.hpp"

namespace bellows::queue_proxy {

Readiness::Readiness(ProbeSchedule schedule, TimePoint now)
    : schedule_(schedule), starting_since_(now), next_probe_(now) {}

void Readiness::probe_succeeded(TimePoint now) {
  if (state_ == ReadinessState::kDraining) return;
  state_ = ReadinessState::kReady;
  failures_ = 0;
  reason_.clear();
  next_probe_ = now + schedule_.ready;
}

void Readiness::probe_failed(std::string_view why, ProbeFailure how, TimePoint now) {
  if (state_ == ReadinessState::kDraining) return;
  if (state_ == ReadinessState::kStarting) {
    reason_ = why;
    const bool is_eager = now - starting_since_ < schedule_.eager_for;
    next_probe_ = now + (is_eager ? schedule_.eager : schedule_.patient);
    return;
  }
  if (how != ProbeFailure::kBusy) ++failures_;
  if (how == ProbeFailure::kRefused || failures_ >= schedule_.failures_until_unready) {
    become_starting(why, now);
  } else {
    next_probe_ = now + schedule_.ready;
  }
}

void Readiness::app_restarted(TimePoint now) {
  if (state_ != ReadinessState::kDraining) become_starting("the app was restarted", now);
}

void Readiness::app_refused(TimePoint now) {
  if (state_ == ReadinessState::kReady) become_starting("the app refused a connection", now);
}

void Readiness::start_draining() {
  state_ = ReadinessState::kDraining;
  reason_ = "draining";
}

void Readiness::end_draining(TimePoint now) {
  if (state_ == ReadinessState::kDraining) become_starting("the drain was undone", now);
}

void Readiness::become_starting(std::string_view why, TimePoint now) {
  state_ = ReadinessState::kStarting;
  failures_ = 0;
  reason_ = why;
  starting_since_ = now;
  next_probe_ = now;
}

}  // namespace bellows::queue_proxy
