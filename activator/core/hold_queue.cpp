#include "activator/core/hold_queue.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace bellows::activator {
namespace {

proxy::QueueLimits limits_of(const config::RevisionSettings& settings) {
  return {.count = settings.queue_depth, .bytes = settings.queue_bytes, .age = max_wait(settings)};
}

proxy::QueueLimits age_limit(Duration age) {
  return {.count = std::numeric_limits<std::int64_t>::max(),
          .bytes = {std::numeric_limits<std::int64_t>::max()},
          .age = age};
}

}  // namespace

bool is_wait_bounded_by_timeout(const config::RevisionSettings& settings) {
  return settings.request_timeout > Duration::zero() &&
         settings.request_timeout <= settings.queue_age;
}

Duration max_wait(const config::RevisionSettings& settings) {
  return is_wait_bounded_by_timeout(settings) ? settings.request_timeout : settings.queue_age;
}

HoldQueue::HoldQueue(const config::RevisionSettings& settings)
    : requeued_(age_limit(settings.request_timeout)),
      returned_(age_limit(settings.queue_age)),
      arrived_(limits_of(settings)) {}

void HoldQueue::set_limits(const config::RevisionSettings& settings) {
  requeued_.set_limits(age_limit(settings.request_timeout));
  returned_.set_limits(age_limit(settings.queue_age));
  arrived_.set_limits(limits_of(settings));
}

std::optional<proxy::QueueFull> HoldQueue::enqueue(HeldRequest& request, std::size_t bytes) {
  return arrived_.enqueue(request, bytes, request.first_enqueued());
}

void HoldQueue::requeue(HeldRequest& request, std::size_t bytes, TimePoint now) {
  requeued_.enqueue(request, bytes, request.first_enqueued());
  if (!request.requeue_entry_) {
    request.requeue_entry_ = std::make_unique<HeldRequest::RequeueEntry>(request);
  }
  returned_.enqueue(*request.requeue_entry_, 0, now);
}

void HoldQueue::remove(HeldRequest& request) {
  requeued_.remove(request);
  arrived_.remove(request);
  if (request.is_requeued()) returned_.remove(*request.requeue_entry_);
}

HeldRequest& HoldQueue::first() {
  return static_cast<HeldRequest&>(*first_queue().first());
}

void HoldQueue::grant_first() {
  if (first().is_requeued()) returned_.remove(*first().requeue_entry_);
  first_queue().grant_first();
}

void HoldQueue::expire(TimePoint now) {
  requeued_.expire(now);
  returned_.expire(now);
  arrived_.expire(now);
}

std::optional<TimePoint> HoldQueue::next_expiry() const {
  std::optional<TimePoint> next;
  for (const proxy::RequestQueue* queue : {&requeued_, &returned_, &arrived_}) {
    if (queue->empty()) continue;
    const TimePoint expiry = queue->expiry(queue->first()->enqueued_at());
    next = next ? std::min(*next, expiry) : expiry;
  }
  return next;
}

}  // namespace bellows::activator
