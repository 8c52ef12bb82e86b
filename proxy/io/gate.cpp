#include "proxy/io/gate.hpp"

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

}  // namespace

Gate::Gate(std::string name, BreakerLimits limits) : name_(std::move(name)), breaker_(limits) {}

http::Flow<Result<Slot>> Gate::enter(Exchange& exchange) {
  const http::Reactor& reactor = exchange.reactor();
  const TimePoint joined = reactor.now();
  if (Slot slot = breaker_.try_enter(joined)) co_return std::move(slot);
  WaitingExchange ticket(exchange.waiter());
  if (const auto full = breaker_.wait(ticket, exchange.held_bytes(), joined)) {
    co_return fail(overloaded(*full));
  }
  exchange.waiter().set_deadline(breaker_.expiry(joined));
  while (!ticket.was_granted()) {
    co_await exchange.waiter().wait();
    if (exchange.hung_up() || exchange.is_stopping()) {
      co_return fail(cancelled(name_, exchange.is_stopping()));
    }
    if (exchange.waiter().is_overdue()) breaker_.expire(reactor.now());
    if (ticket.has_expired()) {
      exchange.note_queued(reactor.now() - joined);
      co_return fail(ErrorKind::kTimeout, name_, "the request waited too long for its turn");
    }
  }
  exchange.waiter().clear_deadline();
  exchange.note_queued(reactor.now() - joined);
  co_return ticket.take_slot();
}

Error Gate::overloaded(LineFull full) const {
  const std::string waiting = std::to_string(breaker_.waiting()) + " requests wait";
  return Error(ErrorKind::kOverloaded, name_,
               full == LineFull::kCount ? waiting + ", which is the limit"
                                        : waiting + ", and their bytes are at the limit");
}

Answer Gate::answer_for_refused(const Error& error, TimePoint now) const {
  return answer_for(error, breaker_.retry_after_seconds(now));
}

}  // namespace bellows::proxy
