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
  if (Breaker* const breaker = std::exchange(breaker_, nullptr)) breaker->give_back();
}

Result<void> Breaker::check(const BreakerLimits& limits) {
  if (limits.slots && *limits.slots < 0) {
    return fail(ErrorKind::kInvalidSetting, "slots",
                std::to_string(*limits.slots) + "; want 0 or more");
  }
  if (limits.line.count < 1) {
    return fail(ErrorKind::kInvalidSetting, "queue depth",
                std::to_string(limits.line.count) + "; want 1 or more");
  }
  return {};
}

Breaker::Breaker(BreakerLimits limits) : slots_(limits.slots), line_(limits.line) {}

Slot Breaker::try_enter(TimePoint now) {
  drain_rate_.pass(!line_.empty(), now);
  if (!line_.empty() || !has_room()) return Slot();
  ++running_;
  return Slot(this);
}

std::optional<LineFull> Breaker::wait(BreakerTicket& ticket, std::size_t bytes, TimePoint now) {
  drain_rate_.pass(!line_.empty(), now);
  const auto full = line_.join(ticket, bytes, now);
  if (!full) fill();
  return full;
}

std::size_t Breaker::expire(TimePoint now) {
  drain_rate_.pass(!line_.empty(), now);
  return line_.expire(now);
}

void Breaker::set_slots(SlotCount slots, TimePoint now) {
  drain_rate_.pass(!line_.empty(), now);
  slots_ = slots;
  fill();
}

int Breaker::retry_after_seconds(TimePoint now) const {
  return drain_rate_.retry_after_seconds(line_.count(), now);
}

void Breaker::give_back() {
  CHECK(running_ > 0, "a slot is given back once");
  --running_;
  if (!line_.empty()) drain_rate_.freed();
  fill();
}

void Breaker::fill() {
  while (!line_.empty() && has_room()) {
    ++running_;
    auto* const first = static_cast<BreakerTicket*>(line_.first());
    first->slot_ = Slot(this);
    line_.grant_first();
  }
}

}  // namespace bellows::proxy
