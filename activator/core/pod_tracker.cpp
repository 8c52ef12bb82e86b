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
    case PodHealth::kProbed:
      return "probed";
  }
  return "unknown";
}

PodTracker::PodTracker(ReplicaView view, std::int32_t slots)
    : view_(std::move(view)), title_("replica " + view_.name.text()), slots_(slots) {}

bool PodTracker::can_take(TimePoint now) const {
  if (!is_usable() || health_ != PodHealth::kHealthy || is_passed_over_) return false;
  return slots_ == 0 || load(now) < slots_;
}

std::int32_t PodTracker::others(TimePoint now) const {
  if (others_ == 0) return 0;
  constexpr std::int64_t kForgotten = 31;
  const std::int64_t halvings = std::max<std::int64_t>((now - told_at_) / kWordHalves, 0);
  return halvings >= kForgotten ? 0 : others_ >> halvings;
}

std::optional<TimePoint> PodTracker::word_fades_at(TimePoint now) const {
  if (!is_usable() || health_ != PodHealth::kHealthy || others(now) == 0) return std::nullopt;
  return told_at_ + ((now - told_at_) / kWordHalves + 1) * kWordHalves;
}

std::uint32_t PodTracker::take(TimePoint now) {
  CHECK(can_take(now), "only a replica with a free slot is picked");
  note_own_level(now);
  ++in_flight_;
  own_peak_ = std::max(own_peak_, in_flight_);
  return times_aside_;
}

/// Before each change of in_flight_: the most of our own requests in this stretch of time and in
/// the one before. A stretch that began long ago has been as it is now, but for its beginning.
void PodTracker::note_own_level(TimePoint now) {
  const Duration gone = now - peak_since_;
  if (gone < kOvertaking) return;
  own_peak_before_ = gone < 2 * kOvertaking ? own_peak_ : in_flight_;
  own_peak_ = in_flight_;
  peak_since_ = now;
}

void PodTracker::told(std::int32_t in_flight, TimePoint now) {
  note_own_level(now);
  // An answer that was overtaken tells of requests that have ended here meanwhile: they were ours.
  others_ = std::max(in_flight - std::max(own_peak_, own_peak_before_), 0);
  told_at_ = now;
}

void PodTracker::answered() {
  next_set_aside_ = kFirstSetAside;
  was_silent_ = false;
}

bool PodTracker::give_back(PodOutcome outcome, std::uint32_t taken, TimePoint now) {
  CHECK(in_flight_ > 0, "a slot is given back once");
  note_own_level(now);
  --in_flight_;
  // Fifty requests that fail with their replica are one failure, not fifty.
  if (health_ != PodHealth::kHealthy || taken != times_aside_) return false;
  if (outcome == PodOutcome::kFailed) {
    set_aside(Why::kFailure, now);
    return true;
  }
  // One caller's request may make any app drop it: the first silence is only remembered.
  if (outcome == PodOutcome::kSilent && std::exchange(was_silent_, true)) {
    set_aside(Why::kSilence, now);
    return true;
  }
  return false;
}

std::optional<TimePoint> PodTracker::probe_at(bool eagerly) const {
  if (!is_usable() || health_ != PodHealth::kSetAside) return std::nullopt;
  if (!eagerly) return probe_at_;
  if (why_aside_ == Why::kSilence) return aside_since_;
  return std::min(probe_at_, aside_since_ + kFirstSetAside);
}

bool PodTracker::probe_ended(bool has_answered, TimePoint now) {
  if (health_ != PodHealth::kProbed) return false;
  if (has_answered) {
    health_ = PodHealth::kHealthy;
  } else {
    set_aside(Why::kFailure, now);
  }
  return has_answered;
}

void PodTracker::update(const ReplicaView& view, std::int32_t slots) {
  if (view.ready != view_.ready || view.address != view_.address || !listed_) trust();
  view_ = view;
  slots_ = slots;
  listed_ = true;
}

void PodTracker::set_aside(Why why, TimePoint now) {
  if (health_ == PodHealth::kHealthy) ++times_aside_;
  why_aside_ = why;
  health_ = PodHealth::kSetAside;
  aside_since_ = now;
  probe_at_ = now + next_set_aside_;
  next_set_aside_ = std::min(next_set_aside_ * 2, kLongestSetAside);
  others_ = 0;
}

void PodTracker::trust() {
  health_ = PodHealth::kHealthy;
  answered();
  others_ = 0;
}

}  // namespace bellows::activator
