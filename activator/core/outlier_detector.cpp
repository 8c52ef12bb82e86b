#include "activator/core/outlier_detector.hpp"

#include <algorithm>
#include <utility>

namespace bellows::activator {

std::string_view to_string(PodHealth health) {
  switch (health) {
    case PodHealth::kHealthy:
      return "healthy";
    case PodHealth::kEjected:
      return "ejected";
    case PodHealth::kProbing:
      return "probing";
  }
  return "unknown";
}

bool OutlierDetector::record_failure(PodOutcome outcome, std::uint32_t ejections, TimePoint now) {
  if (health_ != PodHealth::kHealthy || ejections != ejections_) return false;
  if (outcome == PodOutcome::kFailed) {
    eject(EjectionReason::kFailed, now);
    return true;
  }
  // One caller's request may make any app fail, so the first time is only recorded.
  if (outcome == PodOutcome::kUnresponsive && std::exchange(was_unresponsive_, true)) {
    eject(EjectionReason::kUnresponsive, now);
    return true;
  }
  return false;
}

std::optional<TimePoint> OutlierDetector::probe_at(bool eagerly) const {
  if (health_ != PodHealth::kEjected) return std::nullopt;
  if (!eagerly) return probe_at_;
  if (ejection_reason_ == EjectionReason::kUnresponsive) return ejected_at_;
  return std::min(probe_at_, ejected_at_ + kBaseEjectionTime);
}

bool OutlierDetector::end_probe(bool has_succeeded, TimePoint now) {
  if (health_ != PodHealth::kProbing) return false;
  if (has_succeeded) {
    health_ = PodHealth::kHealthy;
  } else {
    eject(EjectionReason::kFailed, now);
  }
  return has_succeeded;
}

void OutlierDetector::eject(EjectionReason reason, TimePoint now) {
  if (health_ == PodHealth::kHealthy) ++ejections_;
  ejection_reason_ = reason;
  health_ = PodHealth::kEjected;
  ejected_at_ = now;
  probe_at_ = now + next_ejection_time_;
  next_ejection_time_ = std::min(next_ejection_time_ * 2, kMaxEjectionTime);
}

void OutlierDetector::uneject() {
  health_ = PodHealth::kHealthy;
  record_response();
}

}  // namespace bellows::activator
