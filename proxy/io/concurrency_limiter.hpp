// A Breaker for exchanges: a request waits for a slot until it is the first, it has waited too
// long, or its caller hangs up.
#pragma once

#include <string>

#include "proxy/core/breaker.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// Owner: a request handler. Thread: the io thread. The queue-proxy has one.
class ConcurrencyLimiter {
 public:
  /// `limits` have passed Breaker::check(). `name` is the culprit of its errors ("replica web-1").
  /// `total`: the requests' time limit, which includes their time in the queue; zero: none.
  ConcurrencyLimiter(std::string name, BreakerLimits limits, Duration total = Duration::zero());

  /// Returns a slot, at once or after the queue; notes the time in the queue in the exchange.
  /// kOverloaded: the queue is full (which bound, how many wait). kTimeout: the request waited too
  /// long (side kUpstream, and so 504, if its time limit or that of its caller ended the wait).
  /// It is kOverloaded too if `max_wait` has passed.
  /// kCancelled: the caller hung up, or the server is being stopped. A request that ends so never
  /// takes a slot.
  http::Task<Result<Slot>> acquire(Exchange& exchange, std::optional<Duration> max_wait = {});

  /// Returns a slot at once, or an empty one. Saves a coroutine if a slot is free.
  Slot try_acquire(TimePoint now) { return breaker_.try_acquire(now); }

  /// Why a request is refused that may not wait.
  Error no_free_slot() const;

  /// The reply to an error of acquire(), with Retry-After where it helps.
  LocalReply rejection_reply(const Error& error, TimePoint now) const;

  Breaker& breaker() { return breaker_; }
  const Breaker& breaker() const { return breaker_; }

 private:
  Error overloaded(QueueFull full) const;
  Error queued_too_long() const;
  Error call_timed_out() const;

  std::string name_;
  const bool total_bounds_wait_;  // it ends before the queue's own maximum age
  Breaker breaker_;
};

}  // namespace bellows::proxy
