#include "kubernetes/core/call_limiter.hpp"

#include <algorithm>

namespace bellows::kubernetes {

CallLimiter::Ticket CallLimiter::enqueue(Priority priority) {
  waiting_[static_cast<std::size_t>(priority)].push_back(++last_ticket_);
  return last_ticket_;
}

void CallLimiter::withdraw(Ticket ticket) {
  for (auto& queue : waiting_) std::erase(queue, ticket);
}

void CallLimiter::finished(Priority priority) {
  --under_way_[static_cast<std::size_t>(priority)];
}

int CallLimiter::under_way() const {
  int sum = 0;
  for (const int each : under_way_) sum += each;
  return sum;
}

std::optional<std::size_t> CallLimiter::eligible() const {
  const std::array<int, kPriorities> allowed = {
      limits_.under_way, limits_.under_way - limits_.under_way / 4, limits_.under_way / 2};
  for (std::size_t i = 0; i < kPriorities; ++i) {
    const bool has_room =
        under_way() < limits_.under_way && under_way_[i] < std::max(allowed[i], 1);
    if (!waiting_[i].empty() && has_room) return i;
  }
  return std::nullopt;
}

void CallLimiter::refill(TimePoint now) {
  if (refilled_at_ && now > *refilled_at_) {
    tokens_ += limits_.per_second * to_seconds(now - *refilled_at_);
    tokens_ = std::min(tokens_, static_cast<double>(limits_.burst));
  }
  refilled_at_ = std::max(now, refilled_at_.value_or(now));
}

std::optional<CallLimiter::Ticket> CallLimiter::admit(TimePoint now) {
  refill(now);
  const auto priority = eligible();
  if (!priority || tokens_ < 1) return std::nullopt;
  tokens_ -= 1;
  ++under_way_[*priority];
  const Ticket ticket = waiting_[*priority].front();
  waiting_[*priority].pop_front();
  return ticket;
}

std::optional<TimePoint> CallLimiter::next_at(TimePoint now) {
  refill(now);
  if (!eligible()) return std::nullopt;
  if (tokens_ >= 1) return now;
  // The added nanosecond ensures that no fraction of a token is missing then.
  return now + from_seconds((1 - tokens_) / limits_.per_second) + Duration(1);
}

}  // namespace bellows::kubernetes
