// A concurrency limit with a bounded request queue. Strict FIFO: a later request never overtakes an
// earlier one, unlike in Knative's breaker (knative.md 4.2). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/result.hpp"
#include "proxy/core/drain_rate.hpp"
#include "proxy/core/request_queue.hpp"

namespace bellows::proxy {

class Breaker;

/// The permission to run one request. The destructor releases it. It is empty after a move.
class Slot {
 public:
  Slot() = default;
  Slot(Slot&& other) noexcept : breaker_(std::exchange(other.breaker_, nullptr)) {}
  Slot& operator=(Slot&& other) noexcept;
  ~Slot() { release(); }

  explicit operator bool() const { return breaker_ != nullptr; }
  void release();

 private:
  friend class Breaker;
  explicit Slot(Breaker* breaker) : breaker_(breaker) {}

  Breaker* breaker_ = nullptr;
};

/// A request in a breaker's queue. Once granted it owns a slot, which its destructor releases
/// unless take_slot() was called.
class BreakerEntry : public QueueEntry {
 public:
  bool was_granted() const { return static_cast<bool>(slot_); }
  bool has_expired() const { return has_expired_; }
  /// Returns an empty slot unless the entry was granted.
  Slot take_slot() { return std::move(slot_); }

 protected:
  /// Called when the entry was granted or has expired. It may set state and wake a waiter; it must
  /// not call the breaker.
  virtual void on_dequeued() = 0;

 private:
  friend class Breaker;
  void on_granted() final { on_dequeued(); }
  void on_expired() final {
    has_expired_ = true;
    on_dequeued();
  }

  Slot slot_;
  bool has_expired_ = false;
};

/// Maximum number of concurrent requests. nullopt: no limit. 0: every request waits.
using SlotCount = std::optional<std::int64_t>;

struct BreakerLimits {
  SlotCount slots;
  QueueLimits queue;
};

/// Grants slots in order of arrival. It outlives its slots and entries. Owner: a concurrency
/// limiter.
class Breaker {
 public:
  /// Returns kInvalidSetting naming the value for a negative number of slots, or a queue of less
  /// than one (case 94).
  static Result<void> check(const BreakerLimits& limits);

  explicit Breaker(BreakerLimits limits);

  /// Sets the limits, which must pass check() unless there are no slots to wait for. With more
  /// slots waiting requests get theirs at once; with fewer, requests that run keep theirs.
  void set_limits(const BreakerLimits& limits);

  /// Returns a slot if one is free and no request waits, else an empty one.
  Slot try_acquire(TimePoint now);

  /// Adds the entry at the end of the queue. `bytes` is the memory that the request holds. Returns
  /// the exceeded bound, or nullopt on success.
  std::optional<QueueFull> enqueue(BreakerEntry& entry, std::size_t bytes, TimePoint now);
  /// Records that a request has its slot after waiting until `now`. The caller reports the time
  /// because the release of a slot has none; the drain rate needs it.
  void note_granted(TimePoint now) { drain_rate_.advance(true, now); }
  /// Removes expired entries. Returns their number.
  std::size_t expire(TimePoint now);
  TimePoint expiry(TimePoint enqueued_at) const { return queue_.expiry(enqueued_at); }

  /// Returns true if a request that arrives now would not wait.
  bool has_free_slot() const { return has_room() && queue_.empty(); }
  std::int64_t running() const { return running_; }
  std::int64_t waiting() const { return queue_.count(); }
  const RequestQueue& queue() const { return queue_; }
  /// Returns the Retry-After of a rejected request: 1 to 60.
  int retry_after_seconds(TimePoint now) const;

 private:
  friend class Slot;
  bool has_room() const { return !slots_ || running_ < *slots_; }
  void return_slot();
  void grant_free_slots();

  SlotCount slots_;
  std::int64_t running_ = 0;
  RequestQueue queue_;
  DrainRate drain_rate_;
};

}  // namespace bellows::proxy
