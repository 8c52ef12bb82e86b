// A Breaker for exchanges: waiting for room until it is one's turn, it took too long, or the caller
// hangs up.
#pragma once

#include <string>

#include "proxy/core/breaker.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// Owner: a traffic handler. Thread: the io thread. The queue-proxy has one; the activator one per
/// revision whose slots it sets to the free room of its replicas, picking the replica once the slot
/// is there (late binding).
class Gate {
 public:
  /// `limits` have passed Breaker::check(). `name` is the culprit of its errors ("revision web").
  /// `total`: the requests' time-out, which time in line counts towards; zero: none.
  Gate(std::string name, BreakerLimits limits, Duration total = Duration::zero());

  /// The right to run, at once or after standing in line; the time in line is noted in the
  /// exchange. kOverloaded: the line is full (which bound, how many wait); kTimeout: waited too
  /// long (side kUpstream, and so 504, if the request's time-out ended it); kCancelled: the caller
  /// hung up (nobody to answer), or the server is being stopped. Those who leave never cost a slot.
  http::Task<Result<Slot>> enter(Exchange& exchange);

  /// A slot at once, or an empty one: saves a coroutine when there is room.
  Slot try_enter(TimePoint now) { return breaker_.try_enter(now); }

  /// The answer to an error of enter(), Retry-After included where it helps.
  Answer answer_for_refused(const Error& error, TimePoint now) const;

  Breaker& breaker() { return breaker_; }
  const Breaker& breaker() const { return breaker_; }

 private:
  Error overloaded(LineFull full) const;
  Error too_old() const;

  std::string name_;
  const bool total_bounds_wait_;  // it ends before the line's own age does
  Breaker breaker_;
};

}  // namespace bellows::proxy
