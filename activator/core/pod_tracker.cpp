#include "activator/core/pod_tracker.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace bellows::activator {

std::string_view to_string(PodHealth health) {
  switch (health) {
    case PodHealth::kHealthy:
      return "healthy";
    case PodHealth::kSetAside:
      return "set-aside";
    case PodHealth::kOnTrial:
      return "on-trial";
  }
  return "unknown";
}

PodTracker::PodTracker(ReplicaView view, std::int32_t slots)
    : view_(std::move(view)), title_("replica " + view_.name.text()), slots_(slots) {}

bool PodTracker::can_take(TimePoint now) const {
  if (!listed_ || (slots_ > 0 && in_flight_ >= slots_)) return false;
  if (health_ == PodHealth::kHealthy) return true;
  return health_ == PodHealth::kSetAside && now >= back_at_;
}

std::optional<TimePoint> PodTracker::trial_at() const {
  if (!listed_ || health_ != PodHealth::kSetAside) return std::nullopt;
  return back_at_;
}

bool PodTracker::take(TimePoint now) {
  CHECK(can_take(now), "only a replica with a free slot is picked");
  ++in_flight_;
  if (health_ == PodHealth::kHealthy) return false;
  health_ = PodHealth::kOnTrial;
  return true;
}

bool PodTracker::answered(bool on_trial) {
  if (!on_trial || health_ != PodHealth::kOnTrial) return false;
  trust();
  return true;
}

bool PodTracker::give_back(PodOutcome outcome, bool on_trial, TimePoint now) {
  CHECK(in_flight_ > 0, "a slot is given back once");
  --in_flight_;
  if (on_trial && health_ == PodHealth::kOnTrial) {
    if (outcome == PodOutcome::kAnswered) trust();
    if (outcome == PodOutcome::kFailed) set_aside(now);
    // Nothing learned: the next request is the trial.
    if (outcome == PodOutcome::kUnknown) health_ = PodHealth::kSetAside;
    return outcome == PodOutcome::kFailed;
  }
  // Fifty requests that fail with their replica are one failure, not fifty.
  if (outcome != PodOutcome::kFailed || health_ != PodHealth::kHealthy) return false;
  set_aside(now);
  return true;
}

void PodTracker::update(const ReplicaView& view, std::int32_t slots) {
  if (view.ready != view_.ready || view.address != view_.address || !listed_) trust();
  view_ = view;
  slots_ = slots;
  listed_ = true;
}

void PodTracker::set_aside(TimePoint now) {
  health_ = PodHealth::kSetAside;
  back_at_ = now + next_set_aside_;
  next_set_aside_ = std::min(next_set_aside_ * 2, kLongestSetAside);
}

void PodTracker::trust() {
  health_ = PodHealth::kHealthy;
  next_set_aside_ = kFirstSetAside;
}

}  // namespace bellows::activator
