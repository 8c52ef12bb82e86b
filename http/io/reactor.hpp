// Readiness of sockets for the data path: one edge-triggered epoll set inside the program's
// io_context. A connection is registered once in its life; that its peer has left is told without a
// system call; a request costs no registration, no timer and no allocation.
// Why: docs/decisions/0011-reactor.md.
#pragma once

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <coroutine>
#include <cstdint>
#include <memory>

#include "base/sys/clock.hpp"
#include "http/io/buffer_pool.hpp"
#include "http/io/net.hpp"
#include "http/io/socket_api.hpp"
#include "http/io/watchdog.hpp"

namespace bellows::http {

class Reactor;

/// A file descriptor in the reactor. on_events() may only take note (set flags, wake a Waiter): it
/// comes while further events of the same batch are still to be told.
class Watched {
 public:
  virtual void on_events(std::uint32_t epoll_events) = 0;

 protected:
  ~Watched() = default;
};

/// The place where one task waits: for a socket, a slot, a deadline, whatever calls wake(). A
/// wake() that comes early is kept, so none is lost; one too many is harmless: whoever waits looks
/// again at what it waits for. Owner: the session. Thread: the io thread.
class Waiter final : private Deadline {
 public:
  explicit Waiter(Reactor& reactor);
  ~Waiter() override;

  /// Lets the task go on, soon, never from within this call.
  void wake();

  /// `co_await waiter.wait();` until the next wake(), or the deadline. A task that has called
  /// wake() itself gives way by it: others and the sockets have their turn first.
  auto wait() {
    struct Awaiter {
      Waiter& waiter;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> task) { waiter.hold(task); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }

  /// Wakes within a tick (50 ms) after `at`; from then on is_overdue() until the next call here.
  void set_deadline(TimePoint at) {
    is_overdue_ = false;
    Deadline::set_deadline(at);
  }
  void clear_deadline() {
    is_overdue_ = false;
    Deadline::clear_deadline();
  }
  bool is_overdue() const { return is_overdue_; }
  bool has_deadline() const { return deadline() != TimePoint::max(); }

 private:
  friend class Reactor;
  void on_deadline() override {
    is_overdue_ = true;
    wake();
  }
  void hold(std::coroutine_handle<> task);
  void unqueue();

  Reactor& reactor_;
  std::coroutine_handle<> task_ = nullptr;
  Waiter* previous_ = nullptr;  // in the reactor's queue
  Waiter* next_ = nullptr;
  bool is_queued_ = false;
  bool is_woken_ = false;
  bool is_overdue_ = false;
};

/// Owner: the program; outlives everything that waits in it. Thread: the io thread.
class Reactor {
 public:
  explicit Reactor(net::io_context& io, const sys::Clock& clock = sys::system_clock(),
                   SocketApi& sockets = system_sockets());
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  net::io_context& io() { return io_; }
  SocketApi& sockets() { return sockets_; }
  BufferPool& buffers() { return buffers_; }
  Watchdog& watchdog() { return watchdog_; }
  TimePoint now() const { return clock_.now(); }
  const sys::Clock& clock() const { return clock_; }

  /// For all events, edge-triggered, until remove(). kSystem if the system has no room for it.
  Result<void> add(int fd, Watched& watched);
  void remove(int fd);

  /// There are new connections: sockets are looked at once more in this turn.
  void look_again() { is_to_look_again_ = true; }

  /// Stops looking at sockets and deadlines, so that io_context::run() can return.
  void stop();

  /// Tells due deadlines and runs whoever was woken: what the timer does. Tests that
  /// move time by hand call it.
  void tick();

 private:
  friend class Waiter;
  void wait_for_events();
  void take_events();
  void tell_events();
  void set_timer();
  void queue(Waiter& waiter);
  void run_queue();
  void run_queue_soon();

  net::io_context& io_;
  const sys::Clock& clock_;
  SocketApi& sockets_;
  BufferPool buffers_;
  Watchdog watchdog_;
  net::posix::basic_stream_descriptor<Executor> epoll_;
  Timer timer_;
  Waiter* first_ = nullptr;  // woken, in the order of their calls
  Waiter* last_ = nullptr;
  std::size_t queued_ = 0;
  bool is_taking_events_ = false;  // the queue is run when that is over
  bool is_to_look_again_ = false;
  bool is_stopped_ = false;
  std::shared_ptr<bool> alive_;  // shared with the handlers in the io_context
};

}  // namespace bellows::http
