#include "proxy/core/waiting_line.hpp"

#include "base/check.hpp"

namespace bellows::proxy {

Ticket::~Ticket() {
  if (line_ != nullptr) line_->leave(*this);
}

WaitingLine::~WaitingLine() {
  CHECK(empty(), "a line outlives those who wait in it");
}

std::optional<LineFull> WaitingLine::join(Ticket& ticket, std::size_t bytes, TimePoint joined) {
  CHECK(!ticket.is_waiting(), "a ticket waits in one line at a time");
  if (count_ >= limits_.count) return LineFull::kCount;
  if (bytes_ + bytes > static_cast<std::size_t>(limits_.bytes.value)) return LineFull::kBytes;
  ticket.line_ = this;
  ticket.joined_ = joined;
  ticket.bytes_ = bytes;
  // 10,000 that come back at once in any order take 32 us each, about what a failed try costs.
  Ticket* before = last_;
  while (before != nullptr && before->joined_ > joined) before = before->previous_;
  ticket.previous_ = before;
  ticket.next_ = before != nullptr ? before->next_ : first_;
  (ticket.previous_ != nullptr ? ticket.previous_->next_ : first_) = &ticket;
  (ticket.next_ != nullptr ? ticket.next_->previous_ : last_) = &ticket;
  ++count_;
  bytes_ += bytes;
  return std::nullopt;
}

void WaitingLine::leave(Ticket& ticket) {
  if (ticket.line_ == this) unlink(ticket);
}

Ticket* WaitingLine::grant_first() {
  Ticket* const ticket = first_;
  if (ticket == nullptr) return nullptr;
  unlink(*ticket);
  ticket->on_granted();
  return ticket;
}

std::size_t WaitingLine::expire(TimePoint now) {
  std::size_t expired = 0;
  // The first is the oldest, and all may wait equally long.
  while (first_ != nullptr && expiry(first_->joined_) <= now) {
    Ticket* const ticket = first_;
    unlink(*ticket);
    ticket->on_expired();
    ++expired;
  }
  return expired;
}

TimePoint WaitingLine::expiry(TimePoint joined) const {
  return limits_.age == Duration::zero() ? TimePoint::max() : joined + limits_.age;
}

void WaitingLine::unlink(Ticket& ticket) {
  (ticket.previous_ != nullptr ? ticket.previous_->next_ : first_) = ticket.next_;
  (ticket.next_ != nullptr ? ticket.next_->previous_ : last_) = ticket.previous_;
  ticket.line_ = nullptr;
  ticket.previous_ = ticket.next_ = nullptr;
  --count_;
  bytes_ -= ticket.bytes_;
}

}  // namespace bellows::proxy
