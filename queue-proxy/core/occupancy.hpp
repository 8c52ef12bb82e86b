// Tracks whether a replica is occupied: it holds a tunnel, or the app reports it at the admin port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "metrics/stat.hpp"

namespace bellows::queue_proxy {

/// Pure. Owner: the service.
class Occupancy {
 public:
  /// Records POST /occupied or POST /ready, until the other one follows.
  void say(bool is_occupied) {
    is_said_ = is_occupied;
    if (!is_occupied) busy_until_.reset();
  }
  /// Records POST /busy?for=30s: a lease, for work after the response. A longer current lease
  /// stays.
  void lease(Duration length, TimePoint now) {
    busy_until_ = std::max(busy_until_.value_or(now), now + length);
  }
  void count(const metrics::ReplicaCounter& counter) { counter_ = counter; }

  /// Drops what the previous process of the app has reported.
  void app_restarted() {
    say(false);
    counter_.reset();
  }

  void tunnel_opened() { ++tunnels_; }
  void tunnel_closed() { --tunnels_; }

  /// Returns true if the app reports that it is occupied, or while its lease lasts.
  bool is_claimed(TimePoint now) const { return is_said_ || (busy_until_ && now < *busy_until_); }
  bool is_occupied(TimePoint now) const { return tunnels_ > 0 || is_claimed(now); }
  const std::optional<metrics::ReplicaCounter>& counter() const { return counter_; }

 private:
  bool is_said_ = false;
  std::int64_t tunnels_ = 0;
  std::optional<TimePoint> busy_until_;
  std::optional<metrics::ReplicaCounter> counter_;
};

}  // namespace bellows::queue_proxy
