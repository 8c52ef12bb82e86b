#include "activator/core/pod_tracker.hpp"

#include <limits>
#include <utility>

#include "base/check.hpp"

namespace bellows::activator {

namespace {

GrantedReplica granted_from(const ReplicaView& view) {
  return {.view = view, .title = "replica " + view.name.text()};
}

}  // namespace

PodTracker::PodTracker(const ReplicaView& view, std::int32_t slots) : slots_(slots) {
  known_.push_front(granted_from(view));
}

bool PodTracker::can_take(TimePoint now) const {
  if (!is_usable() || !outliers_.is_healthy() || is_excluded_) return false;
  return slots_ == 0 || load(now) < slots_;
}

bool PodTracker::can_queue(TimePoint now) const {
  if (!is_usable() || !outliers_.is_healthy() || is_excluded_) return false;
  return in_flight_ == 0 && !other_load_.is_full(now);
}

std::optional<TimePoint> PodTracker::report_decays_at(TimePoint now) const {
  if (!is_usable() || !outliers_.is_healthy()) return std::nullopt;
  return other_load_.decays_at(now);
}

std::uint32_t PodTracker::acquire(TimePoint now) {
  CHECK(can_take(now) || can_queue(now), "only a replica with a free slot is picked");
  other_load_.note_own(in_flight_, now);
  other_load_.own_increased(++in_flight_);
  return outliers_.ejections();
}

bool PodTracker::release(PodOutcome outcome, std::uint32_t acquired, TimePoint now) {
  CHECK(in_flight_ > 0, "a slot is released once");
  other_load_.note_own(in_flight_, now);
  if (--in_flight_ == 0) forget_earlier();
  if (outcome == PodOutcome::kFull) other_load_.record_full(slots_ - in_flight_, now);
  const bool is_ejected = outliers_.record_outcome(outcome, acquired, now);
  if (is_ejected) other_load_.clear();
  return is_ejected;
}

void PodTracker::forget_earlier() {
  known_.erase_after(known_.begin(), known_.end());
}

std::int32_t PodTracker::expected_report(bool uses_reported_load) const {
  if (!outliers_.has_responded_last()) return -1;
  return uses_reported_load ? other_load_.expected() : std::numeric_limits<std::int32_t>::max();
}

std::optional<TimePoint> PodTracker::probe_at(bool eagerly) const {
  return is_usable() ? outliers_.probe_at(eagerly) : std::nullopt;
}

bool PodTracker::end_probe(bool has_succeeded, TimePoint now) {
  const bool was_probing = health() == PodHealth::kProbing;
  const bool is_back = outliers_.end_probe(has_succeeded, now);
  if (was_probing && !is_back) other_load_.clear();
  return is_back;
}

void PodTracker::update(const ReplicaView& newest, std::int32_t slots) {
  if (newest.ready != view().ready || newest.address != view().address || !is_listed_) {
    outliers_.uneject();
    other_load_.clear();
  }
  if (newest != view()) known_.push_front(granted_from(newest));
  if (in_flight_ == 0) forget_earlier();
  slots_ = slots;
  is_listed_ = true;
}

}  // namespace bellows::activator
