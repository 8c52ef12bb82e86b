// The requests of one revision that wait for a replica, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "activator/core/held_request.hpp"
#include "config/revision_settings.hpp"
#include "proxy/core/request_queue.hpp"

namespace bellows::activator {

/// Returns true if revision-timeout ends before queue-age, so that it bounds the wait.
bool is_wait_bounded_by_timeout(const config::RevisionSettings& settings);
/// Returns the maximum wait of a request: queue-age, or revision-timeout if that is shorter.
Duration max_wait(const config::RevisionSettings& settings);

/// Strict FIFO by arrival, bounded by count, bytes and age. Requests that were requeued because
/// their replica failed come before all others and are exempt from the bounds of count and bytes.
/// Owner: the RevisionThrottler. Pure.
class HoldQueue {
 public:
  explicit HoldQueue(const config::RevisionSettings& settings);

  void set_limits(const config::RevisionSettings& settings);

  /// Adds a request. `bytes` is the memory that the request holds while it waits. Returns the
  /// exceeded bound, or nullopt on success.
  std::optional<proxy::QueueFull> enqueue(HeldRequest& request, std::size_t bytes);
  void requeue(HeldRequest& request, std::size_t bytes, TimePoint now);
  /// Removes the request if it is queued.
  void remove(HeldRequest& request);

  bool empty() const { return requeued_.empty() && arrived_.empty(); }
  std::int64_t count() const { return requeued_.count() + arrived_.count(); }
  /// Returns the queue of the requests to which the bounds of count and bytes apply.
  const proxy::RequestQueue& bounded() const { return arrived_; }

  /// Returns the next request to get a replica. The queue must not be empty.
  HeldRequest& first();
  void grant_first();

  /// Rejects the requests that have waited too long.
  void expire(TimePoint now);
  std::optional<TimePoint> next_expiry() const;

 private:
  proxy::RequestQueue& first_queue() { return requeued_.empty() ? arrived_ : requeued_; }

  proxy::RequestQueue requeued_;  // by first arrival
  proxy::RequestQueue returned_;  // the same requests, by the time of their return
  proxy::RequestQueue arrived_;
};

}  // namespace bellows::activator
