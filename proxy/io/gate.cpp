#include "proxy/io/gate.hpp"

#include "base/duration_text.hpp"
#include "base/quantity_text.hpp"

namespace bellows::proxy {

namespace {

/// An exchange's place in the line.
class WaitingExchange final : public BreakerTicket {
 public:
  explicit WaitingExchange(http::Waiter& waiter) : waiter_(waiter) {}

 private:
  void on_turn() override { waiter_.wake(); }

  http::Waiter& waiter_;
};

Error cancelled(const std::string& name, bool is_stopping) {
  return is_stopping ? Error(ErrorKind::kCancelled, name, "stopped while the request waited")
                     : Error(ErrorKind::kCancelled, name, "the caller hung up while it waited",
                             ErrorSide::kDownstream);
}

bool bounds_wait(const LineLimits& line, Duration total) {
  return total > Duration::zero() && (line.age == Duration::zero() || total <= line.age);
}

BreakerLimits with_age(BreakerLimits limits, Duration age) {
  limits.line.age = age;
  return limits;
}

}  // namespace

Gate::Gate(std::string name, BreakerLimits limits, Duration total)
    : name_(std::move(name)),
      total_bounds_wait_(bounds_wait(limits.line, total)),
      breaker_(total_bounds_wait_ ? with_age(limits, total) : limits) {}

http::Task<Result<Slot>> Gate::enter(Exchange& exchange) {
  const http::Reactor& reactor = exchange.reactor();
  const TimePoint joined = reactor.now();
  if (Slot slot = breaker_.try_enter(joined)) co_return std::move(slot);
  // Who left before its request was read has been told of already: nothing would wake it.
  if (exchange.hung_up() || exchange.is_stopping()) {
    co_return fail(cancelled(name_, exchange.is_stopping()));
  }
  WaitingExchange ticket(exchange.waiter());
  if (const auto full = breaker_.wait(ticket, exchange.held_bytes(), joined)) {
    co_return fail(overloaded(*full));
  }
  exchange.waiter().set_deadline(breaker_.expiry(joined));
  while (!ticket.was_granted()) {
    co_await exchange.waiter().wait();
    exchange.note_queued(reactor.now() - joined);
    if (exchange.hung_up() || exchange.is_stopping()) {
      co_return fail(cancelled(name_, exchange.is_stopping()));
    }
    if (exchange.waiter().is_overdue()) breaker_.expire(reactor.now());
    if (ticket.has_expired()) co_return fail(too_old());
  }
  exchange.waiter().clear_deadline();
  breaker_.note_turn(reactor.now());
  co_return ticket.take_slot();
}

Error Gate::overloaded(LineFull full) const {
  const WaitingLine& line = breaker_.line();
  std::string why = "its queue is full: " + std::to_string(line.count()) + " requests wait";
  if (full == LineFull::kCount) {
    why += ", queue-depth is " + std::to_string(line.limits().count);
  } else {
    why += " and hold " + to_string(Bytes{static_cast<std::int64_t>(line.bytes())}) +
           ", queue-bytes is " + to_string(line.limits().bytes);
  }
  return Error(ErrorKind::kOverloaded, name_, std::move(why));
}

Error Gate::too_old() const {
  // The request's own time-out is a 504 wherever it strikes; too long in line alone is a 503.
  return Error(ErrorKind::kTimeout, name_,
               "it had no room within " + duration_text(breaker_.line().limits().age) +
                   (total_bounds_wait_ ? " (revision-timeout)" : " (queue-age)"),
               total_bounds_wait_ ? ErrorSide::kUpstream : ErrorSide::kInternal);
}

Answer Gate::answer_for_refused(const Error& error, TimePoint now) const {
  return answer_for(error, breaker_.retry_after_seconds(now));
}

}  // namespace bellows::proxy
