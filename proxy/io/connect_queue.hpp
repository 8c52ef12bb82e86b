// Requests that wait for a new connection to an upstream whose backlog is full. Within proxy/io.
#pragma once

#include <cstddef>
#include <list>
#include <optional>

#include "base/time.hpp"
#include "http/io/reactor.hpp"

namespace bellows::proxy {

/// A FIFO queue. If the backlog has no room for a connection, the kernel establishes it a second
/// later, or it is open on this side only. So it is better not to begin it. Owner: the pool, one
/// for each upstream. Thread: the io thread.
class ConnectQueue {
 public:
  /// A request that waits. Owner: its task.
  class Place {
   public:
    /// `all` counts waiting requests in several queues.
    Place(ConnectQueue& queue, http::Waiter& waiter, std::size_t& all)
        : queue_(queue), at_(queue.waiting_.insert(queue.waiting_.end(), &waiter)), all_(all) {
      ++all_;
    }
    ~Place() {
      --all_;
      queue_.waiting_.erase(at_);
      queue_.wake_first();
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    bool is_first() const { return at_ == queue_.waiting_.begin(); }

   private:
    ConnectQueue& queue_;
    std::list<http::Waiter*>::iterator at_;
    std::size_t& all_;
  };

  /// A connection that is being established and may not be in the backlog yet. Owner: its task.
  class Connecting {
   public:
    explicit Connecting(ConnectQueue& queue) : queue_(queue) { ++queue_.connecting_; }
    ~Connecting() {
      --queue_.connecting_;
      queue_.wake_first();
    }
    Connecting(const Connecting&) = delete;
    Connecting& operator=(const Connecting&) = delete;

   private:
    ConnectQueue& queue_;
  };

  /// Returns true if a connection may begin. `room` is that of the backlog; nullopt is unknown, so
  /// no request waits.
  bool has_room(std::optional<std::size_t> room) const { return !room || connecting_ < *room; }
  bool is_empty() const { return waiting_.empty(); }
  bool is_in_use() const { return connecting_ > 0 || !waiting_.empty(); }

  /// Records that the upstream has responded, which shows that it accepts connections.
  void note_response(TimePoint now) {
    responded_ = now;
    wake_first();
  }
  TimePoint last_response() const { return responded_; }

 private:
  void wake_first() {
    if (!waiting_.empty()) waiting_.front()->wake();
  }

  std::list<http::Waiter*> waiting_;
  std::size_t connecting_ = 0;
  TimePoint responded_{};
};

}  // namespace bellows::proxy
