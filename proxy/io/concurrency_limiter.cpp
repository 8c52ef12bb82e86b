#include "proxy/io/concurrency_limiter.hpp"

#include <algorithm>

#include "base/duration_text.hpp"

namespace bellows::proxy {

namespace {

/// An exchange in the queue.
class QueuedExchange final : public BreakerEntry {
 public:
  explicit QueuedExchange(http::Waiter& waiter) : waiter_(waiter) {}

 private:
  void on_dequeued() override { waiter_.wake(); }

  http::Waiter& waiter_;
};

Error cancelled(const std::string& name, bool is_stopping) {
  return is_stopping ? Error(ErrorKind::kCancelled, name, "stopped while the request waited")
                     : Error(ErrorKind::kCancelled, name, "the caller disconnected while it waited",
                             ErrorSide::kDownstream);
}

bool bounds_wait(const QueueLimits& queue, Duration total) {
  return total > Duration::zero() && (queue.age == Duration::zero() || total <= queue.age);
}

BreakerLimits with_age(BreakerLimits limits, Duration age) {
  limits.queue.age = age;
  return limits;
}

}  // namespace

ConcurrencyLimiter::ConcurrencyLimiter(std::string name, BreakerLimits limits, Duration total)
    : name_(std::move(name)),
      total_bounds_wait_(bounds_wait(limits.queue, total)),
      breaker_(total_bounds_wait_ ? with_age(limits, total) : limits) {}

void ConcurrencyLimiter::set_limits(const BreakerLimits& limits, Duration total) {
  total_bounds_wait_ = bounds_wait(limits.queue, total);
  breaker_.set_limits(total_bounds_wait_ ? with_age(limits, total) : limits);
}

http::Task<Result<Slot>> ConcurrencyLimiter::acquire(Exchange& exchange,
                                                     std::optional<Duration> max_wait) {
  const http::Reactor& reactor = exchange.reactor();
  const TimePoint enqueued_at = reactor.now();
  if (Slot slot = breaker_.try_acquire(enqueued_at)) co_return std::move(slot);
  // If the caller disconnected before its request was read, no event will wake this task.
  if (exchange.has_hung_up() || exchange.is_stopping()) {
    co_return fail(cancelled(name_, exchange.is_stopping()));
  }
  QueuedExchange entry(exchange.waiter());
  if (const auto full = breaker_.enqueue(entry, exchange.held_bytes(), enqueued_at)) {
    co_return fail(overloaded(*full));
  }
  exchange.pack();
  const TimePoint call_deadline = exchange.call_deadline();
  const TimePoint end = max_wait ? enqueued_at + *max_wait : TimePoint::max();
  const auto deadline = [&] {
    return std::min({breaker_.expiry(enqueued_at), call_deadline, end});
  };
  exchange.waiter().set_deadline(deadline());
  while (!entry.was_granted()) {
    co_await exchange.waiter().wait();
    exchange.note_queued(reactor.now() - enqueued_at);
    if (exchange.has_hung_up() || exchange.is_stopping()) {
      co_return fail(cancelled(name_, exchange.is_stopping()));
    }
    if (exchange.waiter().is_overdue()) breaker_.expire(reactor.now());
    if (entry.has_expired()) co_return fail(queued_too_long());
    if (entry.was_granted()) break;
    if (reactor.now() >= call_deadline) co_return fail(call_timed_out());
    if (reactor.now() >= end) co_return fail(no_free_slot());
    // The maximum age was raised meanwhile.
    if (exchange.waiter().is_overdue()) exchange.waiter().set_deadline(deadline());
  }
  exchange.waiter().clear_deadline();
  breaker_.note_granted(reactor.now());
  co_return entry.take_slot();
}

Error ConcurrencyLimiter::overloaded(QueueFull full) const {
  return Error(ErrorKind::kOverloaded, name_, queue_full_text(breaker_.queue(), full));
}

Error ConcurrencyLimiter::call_timed_out() const {
  return Error(ErrorKind::kTimeout, name_, "it got no slot before its deadline (grpc-timeout)",
               ErrorSide::kUpstream);
}

Error ConcurrencyLimiter::no_free_slot() const {
  return Error(ErrorKind::kOverloaded, name_, "has no free slot");
}

Error ConcurrencyLimiter::queued_too_long() const {
  // The request's own time limit is a 504 wherever it ends; the queue's maximum age is a 503.
  return Error(ErrorKind::kTimeout, name_,
               "it got no slot within " + duration_text(breaker_.queue().limits().age) +
                   (total_bounds_wait_ ? " (revision-timeout)" : " (queue-age)"),
               total_bounds_wait_ ? ErrorSide::kUpstream : ErrorSide::kInternal);
}

LocalReply ConcurrencyLimiter::rejection_reply(const Error& error, TimePoint now) const {
  return local_reply_for(error, breaker_.retry_after_seconds(now));
}

}  // namespace bellows::proxy
