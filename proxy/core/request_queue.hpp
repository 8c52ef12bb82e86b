// A strict first-in-first-out queue of requests, bounded by count, bytes and age. The queue-proxy's
// breaker and the activator's throttler use it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::proxy {

class RequestQueue;

/// A request's place in a queue. Its destructor removes it from the queue. The queue calls the
/// callbacks from inside its own functions: they may set state and wake a waiter, but must not call
/// the queue. Owner: the request that waits.
class QueueEntry {
 public:
  QueueEntry() = default;
  virtual ~QueueEntry();
  QueueEntry(const QueueEntry&) = delete;
  QueueEntry& operator=(const QueueEntry&) = delete;

  bool is_waiting() const { return queue_ != nullptr; }
  TimePoint enqueued_at() const { return enqueued_at_; }

 protected:
  /// Called when this entry was the first and the queue has removed it.
  virtual void on_granted() = 0;
  /// Called when this entry has reached the queue's maximum age and the queue has removed it.
  virtual void on_expired() = 0;

 private:
  friend class RequestQueue;
  RequestQueue* queue_ = nullptr;
  QueueEntry* previous_ = nullptr;
  QueueEntry* next_ = nullptr;
  TimePoint enqueued_at_{};
  std::size_t bytes_ = 0;
};

/// Bounds of a queue. An age of zero means no maximum age.
struct QueueLimits {
  std::int64_t count = 0;
  Bytes bytes = mebibytes(64);
  Duration age = Duration::zero();
};

/// The bound that a full queue has reached.
enum class QueueFull : std::uint8_t { kCount, kBytes };

/// Returns the text of an error for that bound: "its queue is full: 3 requests wait, queue-depth is
/// 3".
std::string queue_full_text(const RequestQueue& queue, QueueFull bound);

class RequestQueue {
 public:
  explicit RequestQueue(QueueLimits limits) : limits_(limits) {}
  /// Checks that the queue is empty.
  ~RequestQueue();
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;

  /// Inserts the entry after all entries with the same or an earlier `enqueued_at`. This is the end
  /// of the queue, except for a request that returns with its original time of arrival. `bytes` is
  /// the memory that the request holds. Returns the exceeded bound, or nullopt on success.
  std::optional<QueueFull> enqueue(QueueEntry& entry, std::size_t bytes, TimePoint enqueued_at);
  void remove(QueueEntry& entry);

  /// Removes the first entry and calls its on_granted(). Returns nullptr if the queue is empty.
  QueueEntry* grant_first();
  /// Removes expired entries and calls their on_expired(). Returns their number.
  std::size_t expire(TimePoint now);

  bool empty() const { return first_ == nullptr; }
  std::int64_t count() const { return count_; }
  std::size_t bytes() const { return bytes_; }
  QueueEntry* first() const { return first_; }
  const QueueLimits& limits() const { return limits_; }
  /// Sets the limits. Entries already in the queue stay there, even if they exceed the new limits.
  void set_limits(QueueLimits limits) { limits_ = limits; }
  /// Returns when an entry with this `enqueued_at` expires.
  TimePoint expiry(TimePoint enqueued_at) const;

 private:
  void unlink(QueueEntry& entry);

  QueueLimits limits_;
  QueueEntry* first_ = nullptr;
  QueueEntry* last_ = nullptr;
  std::int64_t count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace bellows::proxy
