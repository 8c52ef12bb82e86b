#include "proxy/core/breaker.hpp"

#include <string>

#include "base/check.hpp"

namespace bellows::proxy {

Slot& Slot::operator=(Slot&& other) noexcept {
  if (this != &other) {
    release();
    breaker_ = std::exchange(other.breaker_, nullptr);
  }
  return *this;
}

void Slot::release() {
  if (Breaker* const breaker = std::exchange(breaker_, nullptr)) breaker->return_slot();
}

Result<void> Breaker::check(const BreakerLimits& limits) {
  if (limits.slots && *limits.slots < 0) {
    return fail(ErrorKind::kInvalidSetting, "slots",
                std::to_string(*limits.slots) + "; want 0 or more");
  }
  if (limits.queue.count < 1) {
    return fail(ErrorKind::kInvalidSetting, "queue depth",
                std::to_string(limits.queue.count) + "; want 1 or more");
  }
  return {};
}

Breaker::Breaker(BreakerLimits limits) : slots_(limits.slots), queue_(limits.queue) {}

void Breaker::set_limits(const BreakerLimits& limits) {
  slots_ = limits.slots;
  queue_.set_limits(limits.queue);
  grant_free_slots();
}

Slot Breaker::try_acquire(TimePoint now) {
  drain_rate_.advance(!queue_.empty(), now);
  if (!queue_.empty() || !has_room()) return Slot();
  ++running_;
  return Slot(this);
}

std::optional<QueueFull> Breaker::enqueue(BreakerEntry& entry, std::size_t bytes, TimePoint now) {
  drain_rate_.advance(!queue_.empty(), now);
  const auto full = queue_.enqueue(entry, bytes, now);
  if (!full) grant_free_slots();
  return full;
}

std::size_t Breaker::expire(TimePoint now) {
  drain_rate_.advance(!queue_.empty(), now);
  return queue_.expire(now);
}

int Breaker::retry_after_seconds(TimePoint now) const {
  return drain_rate_.retry_after_seconds(queue_.count(), now);
}

void Breaker::return_slot() {
  CHECK(running_ > 0, "a slot is released once");
  --running_;
  if (!queue_.empty()) drain_rate_.note_freed();
  grant_free_slots();
}

void Breaker::grant_free_slots() {
  while (!queue_.empty() && has_room()) {
    ++running_;
    auto* const first = static_cast<BreakerEntry*>(queue_.first());
    first->slot_ = Slot(this);
    queue_.grant_first();
  }
}

}  // namespace bellows::proxy
