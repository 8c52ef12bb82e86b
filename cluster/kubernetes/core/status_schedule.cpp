#include "cluster/kubernetes/core/status_schedule.hpp"

#include <algorithm>

namespace bellows::cluster {

StatusSchedule::Queue& StatusSchedule::queue_of(const Entry& entry) {
  return entry.waits == StatusChange::kMinor ? minor_ : soon_;
}

void StatusSchedule::leave_queue(const RevisionId& id, Entry& entry) {
  if (!entry.waits) return;
  queue_of(entry).erase({entry.due, id});
  entry.waits.reset();
}

TimePoint StatusSchedule::due(const Entry& entry, StatusChange change, TimePoint now) const {
  const Duration gap = change == StatusChange::kMinor ? kMinor : kPerRevision;
  const TimePoint earliest = entry.written ? *entry.written + gap : now;
  switch (change) {
    case StatusChange::kMinor:
      return std::max(earliest, entry.first_changed + kMinor);
    case StatusChange::kMoving:
      return std::max(earliest, entry.first_changed + kMoving);
    case StatusChange::kSettled:
      return std::max(earliest, now);
  }
  return earliest;
}

void StatusSchedule::changed(const RevisionId& id, StatusChange change, TimePoint now) {
  Entry& entry = entries_[id];
  const bool waits_for_users = entry.waits && *entry.waits != StatusChange::kMinor;
  if (change == StatusChange::kMinor && entry.waits) return;
  TimePoint settled_before = TimePoint::max();
  if (entry.waits == StatusChange::kSettled) settled_before = entry.due;
  leave_queue(id, entry);
  if (!waits_for_users) entry.first_changed = now;
  entry.due = due(entry, change, now);
  // It keeps its place in the queue while it is settled.
  if (change == StatusChange::kSettled) entry.due = std::min(entry.due, settled_before);
  entry.waits = change;
  queue_of(entry).insert({entry.due, id});
}

void StatusSchedule::drop(const RevisionId& id) {
  const auto found = entries_.find(id);
  if (found != entries_.end()) leave_queue(id, found->second);
}

void StatusSchedule::forget(const RevisionId& id) {
  drop(id);
  entries_.erase(id);
}

std::optional<RevisionId> StatusSchedule::take(TimePoint now) {
  const auto is_due = [&](const Queue& queue, TimePoint next) {
    return !queue.empty() && queue.begin()->first <= now && next <= now;
  };
  Queue* queue = nullptr;
  if (is_due(soon_, next_soon_)) {
    queue = &soon_;
  } else if (is_due(minor_, std::max(next_minor_, next_soon_))) {
    queue = &minor_;
    next_minor_ = now + kBetweenMinor;
  }
  if (queue == nullptr) return std::nullopt;
  // Within a row of writes a late call does not delay those after it.
  const bool is_in_a_row = now - next_soon_ <= kBetween;
  next_soon_ = (is_in_a_row ? next_soon_ : now) + kBetween;
  RevisionId id = queue->begin()->second;
  Entry& entry = entries_[id];
  leave_queue(id, entry);
  entry.written = now;
  return id;
}

std::optional<TimePoint> StatusSchedule::next() const {
  std::optional<TimePoint> next;
  if (!soon_.empty()) next = std::max(soon_.begin()->first, next_soon_);
  if (!minor_.empty()) {
    const TimePoint minor = std::max({minor_.begin()->first, next_minor_, next_soon_});
    next = next ? std::min(*next, minor) : minor;
  }
  return next;
}

}  // namespace bellows::cluster
