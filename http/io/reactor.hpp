// Readiness of sockets: one edge-triggered epoll set inside the program's io_context. A connection
// is registered once in its life. A close by the peer arrives as an event without a further system
// call. A request needs no registration, no system timer and no allocation.
// docs/decisions/event-loop.md has the reasons.
#pragma once

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <coroutine>
#include <cstdint>

#include "base/lifetime.hpp"
#include "base/sys/clock.hpp"
#include "http/io/buffer_pool.hpp"
#include "http/io/net.hpp"
#include "http/io/socket_api.hpp"
#include "http/io/spare_memory.hpp"
#include "http/io/timer_wheel.hpp"

namespace bellows::http {

class Reactor;
class Waiter;
class WaiterQueue;

/// A link to a waiter that becomes empty when the waiter is destroyed. It is for objects that may
/// outlive the waiting task, such as connections. It is neither copied nor moved. Thread: the io
/// thread.
class WaiterLink {
 public:
  WaiterLink() = default;
  ~WaiterLink() { leave(); }
  WaiterLink(const WaiterLink&) = delete;
  WaiterLink& operator=(const WaiterLink&) = delete;

  /// Links to `waiter`; nullptr unlinks.
  void lead_to(Waiter* waiter);
  void leave();
  Waiter* get() const { return waiter_; }

 private:
  Waiter* waiter_ = nullptr;
  WaiterLink* previous_ = nullptr;  // among the links to the same waiter
  WaiterLink* next_ = nullptr;
};

/// The owner of a file descriptor in the reactor. on_events() may only set flags and wake a Waiter,
/// because further events of the same batch are pending during the call.
class EventHandler {
 public:
  virtual void on_events(std::uint32_t epoll_events) = 0;

 protected:
  ~EventHandler() = default;
};

/// The place where one task waits: for a socket, a slot, a deadline, anything that calls wake(). An
/// early wake() is remembered, so none is lost. A spurious one is harmless, because the task checks
/// its condition again. Owner: the session. Thread: the io thread.
class Waiter final : private Timer {
 public:
  explicit Waiter(Reactor& reactor);
  ~Waiter() override;

  /// Schedules the task; never resumes it within this call.
  void wake();
  /// Schedules work that may be delayed: it runs after the tasks that wake() has scheduled, a few
  /// in each turn (Reactor::run_patient()), in the order of these calls. A later wake() moves it
  /// forward.
  void wake_last();

  /// `co_await waiter.wait();` suspends until the next wake(), or the deadline. A task that has
  /// called wake() itself yields by it: other tasks and the sockets run first.
  auto wait() {
    struct Awaiter {
      Waiter& waiter;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> task) { waiter.hold(task); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }

  /// Wakes within a tick (50 ms) after `at`, as wake_last() does, because many deadlines may end
  /// together. is_overdue() is true from then on until the next call of this function.
  void set_deadline(TimePoint at) {
    is_overdue_ = false;
    Timer::set_deadline(at);
  }
  void clear_deadline() {
    is_overdue_ = false;
    Timer::clear_deadline();
  }
  bool is_overdue() const { return is_overdue_; }
  bool has_deadline() const { return deadline() != TimePoint::max(); }

 private:
  friend class Reactor;
  friend class WaiterLink;
  friend class WaiterQueue;
  enum class Woken : std::uint8_t { kNo, kLast, kYes };

  void on_expiry() override {
    is_overdue_ = true;
    wake_last();
  }
  void hold(std::coroutine_handle<> task);

  Reactor& reactor_;
  std::coroutine_handle<> task_ = nullptr;
  WaiterQueue* queue_ = nullptr;  // queue that contains it; nullptr: none
  Waiter* previous_ = nullptr;    // in that queue
  Waiter* next_ = nullptr;
  WaiterLink* links_ = nullptr;  // links to this waiter; owned by others
  Woken woken_ = Woken::kNo;     // kind of the wake-up since the task last ran
  bool is_overdue_ = false;
};

/// Woken waiters in the order of their calls. Owner: the reactor.
class WaiterQueue {
 public:
  bool is_empty() const { return first_ == nullptr; }
  std::size_t size() const { return size_; }
  void append(Waiter& waiter);
  void remove(Waiter& waiter);
  /// Removes the first waiter and resumes its task.
  void run_first();

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
  std::size_t size_ = 0;
};

/// Owner: the program, or a server; it outlives everything that waits in it. Thread: the io thread.
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
  TimerWheel& timers() { return timers_; }
  TimePoint now() const { return clock_.now(); }
  /// Returns when the current turn began; outside of turns it is now(). Deadlines of seconds use
  /// it: it reads no clock, and is at most some milliseconds early. Reported times use now().
  TimePoint turn_began() const { return is_dispatching_ ? turn_began_ : now(); }
  const sys::Clock& clock() const { return clock_; }

  /// Registers for all events, edge-triggered, until remove(). Returns kSystem if the system has no
  /// room.
  Result<void> add(int fd, EventHandler& watched);
  void remove(int fd);

  /// Polls the sockets once more in this turn, after new connections.
  void poll_again() { is_to_poll_again_ = true; }

  /// Stops waiting for sockets and deadlines, so that io_context::run() can return.
  void stop();

  /// Expires due deadlines and runs the woken tasks, as the timer does. Tests that move time by
  /// hand call it.
  void tick();

 private:
  friend class Waiter;
  void wait_for_events();
  void handle_events();
  void dispatch_events();
  void begin_turn();
  void set_timer();
  void queue(Waiter& waiter, WaiterQueue& queue);
  void run_queues();
  void run_patient();
  void run_queues_soon();

  net::io_context& io_;
  const sys::Clock& clock_;
  SocketApi& sockets_;
  BufferPool buffers_;
  TimerWheel timers_;
  SpareMemory spare_memory_;
  net::posix::basic_stream_descriptor<Executor> epoll_;
  AsioTimer wake_timer_;
  WaiterQueue woken_;
  WaiterQueue patient_;  // filled by wake_last()
  TimePoint turn_began_;
  bool is_dispatching_ = false;  // the queues run when dispatching ends
  bool is_run_posted_ = false;   // a run of the queues is posted to the io_context
  bool is_to_poll_again_ = false;
  bool is_stopped_ = false;
  Lifetime lifetime_;  // for handlers in the io_context
};

}  // namespace bellows::http
