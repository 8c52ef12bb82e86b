// A Breaker for exchanges: a request waits for a slot until it is the first, has waited too long,
// or its caller disconnects.
#pragma once

#include <string>

#include "proxy/core/breaker.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// Limits concurrency; the queue-proxy has one. Owner: a request handler. Thread: the io thread.
class ConcurrencyLimiter {
 public:
  /// `limits` must have passed Breaker::check(). `name` is the culprit of its errors ("replica
  /// web-1"). `total` is the requests' time limit, which includes their time in the queue; zero:
  /// none.
  ConcurrencyLimiter(std::string name, BreakerLimits limits, Duration total = Duration::zero());

  /// Sets the limits of requests from now on. Those in the queue keep their place and their maximum
  /// age, or get one of new slots.
  void set_limits(const BreakerLimits& limits, Duration total);

  /// Returns a slot, at once or after the queue; records the time in the queue in the exchange.
  /// kOverloaded: the queue is full (the error states which bound, and how many wait), or
  /// `max_wait` has passed. kTimeout: the request waited too long (side kUpstream, and so 504, if
  /// its time limit or that of its caller ended the wait). kCancelled: the caller disconnected, or
  /// the server is stopping. Such a request never takes a slot.
  http::Task<Result<Slot>> acquire(Exchange& exchange, std::optional<Duration> max_wait = {});

  /// Returns a slot at once, or an empty one. It saves a coroutine if a slot is free.
  Slot try_acquire(TimePoint now) { return breaker_.try_acquire(now); }

  /// Returns the error for a request that may not wait.
  Error no_free_slot() const;

  /// Makes the reply to an error of acquire(), with Retry-After where it helps.
  LocalReply rejection_reply(const Error& error, TimePoint now) const;

  Breaker& breaker() { return breaker_; }
  const Breaker& breaker() const { return breaker_; }

 private:
  Error overloaded(QueueFull full) const;
  Error queued_too_long() const;
  Error call_timed_out() const;

  std::string name_;
  bool total_bounds_wait_;  // it ends before the queue's own maximum age
  Breaker breaker_;
};

}  // namespace bellows::proxy
