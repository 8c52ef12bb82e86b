#include "http/io/reactor.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>

#include "base/check.hpp"

namespace bellows::http {

namespace {

int make_epoll() {
  const int fd = ::epoll_create1(EPOLL_CLOEXEC);
  CHECK(fd >= 0, "a program can create an epoll set when it starts");
  return fd;
}

}  // namespace

Waiter::Waiter(Reactor& reactor) : Timer(reactor.timers()), reactor_(reactor) {}

Waiter::~Waiter() {
  unqueue();
}

void Waiter::wake() {
  is_woken_ = true;
  if (!is_queued_ && task_) reactor_.queue(*this);
}

void Waiter::hold(std::coroutine_handle<> task) {
  task_ = task;
  if (is_woken_) wake();
}

void Waiter::unqueue() {
  if (!is_queued_) return;
  (previous_ != nullptr ? previous_->next_ : reactor_.first_) = next_;
  (next_ != nullptr ? next_->previous_ : reactor_.last_) = previous_;
  previous_ = next_ = nullptr;
  is_queued_ = false;
  --reactor_.queued_;
}

Reactor::Reactor(net::io_context& io, const sys::Clock& clock, SocketApi& sockets)
    : io_(io),
      clock_(clock),
      sockets_(sockets),
      timers_([this] { set_timer(); }),
      epoll_(io, make_epoll()),
      wake_timer_(io) {
  timers_.advance(now());
  wait_for_events();
}

Reactor::~Reactor() = default;

Result<void> Reactor::add(int fd, EventHandler& watched) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = &watched;
  if (::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, fd, &event) == 0) return {};
  return fail(system_error("socket " + std::to_string(fd), "epoll_ctl", errno));
}

void Reactor::remove(int fd) {
  ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, fd, nullptr);
}

void Reactor::stop() {
  is_stopped_ = true;
  boost::system::error_code ignored;
  epoll_.cancel(ignored);
  wake_timer_.cancel();
}

void Reactor::tick() {
  begin_turn();
  timers_.advance(turn_began_);
  set_timer();
  run_queue();
}

void Reactor::wait_for_events() {
  epoll_.async_wait(net::posix::descriptor_base::wait_read,
                    [this, alive = lifetime_.observe()](boost::system::error_code error) {
                      if (error || !alive) return;
                      handle_events();
                      if (alive && !is_stopped_) wait_for_events();
                    });
}

void Reactor::handle_events() {
  // Sockets that are always busy must not starve timers and Asio's handlers.
  constexpr int kMostPolls = 4;
  for (int i = 0; i < kMostPolls && !is_stopped_; ++i) {
    is_to_poll_again_ = false;
    dispatch_events();
    if (!is_to_poll_again_) return;
  }
}

void Reactor::dispatch_events() {
  constexpr int kBatch = 256;
  std::array<epoll_event, kBatch> events;  // NOLINT: filled by the kernel
  const int count = ::epoll_wait(epoll_.native_handle(), events.data(), kBatch, 0);
  // A loop with much to do finds here what has come meanwhile; a turn of Asio's loop costs two
  // system calls more.
  if (count > 1) poll_again();
  // All events are noted before any task runs, so no task meets a connection that is gone.
  begin_turn();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    static_cast<EventHandler*>(event.data.ptr)->on_events(event.events);
  }
  run_queue();
}

void Reactor::begin_turn() {
  is_dispatching_ = true;
  turn_began_ = now();
}

void Reactor::set_timer() {
  const TimePoint at = timers_.next_expiry();
  if (at == TimePoint::max() || is_stopped_) return;
  wake_timer_.expires_after(std::max<Duration>(at - now(), std::chrono::milliseconds(1)));
  wake_timer_.async_wait(lifetime_.bind([this](boost::system::error_code error) {
    if (!error && !is_stopped_) tick();
  }));
}

void Reactor::queue(Waiter& waiter) {
  waiter.is_queued_ = true;
  waiter.previous_ = last_;
  waiter.next_ = nullptr;
  (last_ == nullptr ? first_ : last_->next_) = &waiter;
  last_ = &waiter;
  ++queued_;
  if (!is_dispatching_ && queued_ == 1) run_queue_soon();
}

void Reactor::run_queue_soon() {
  net::post(io_, lifetime_.bind([this] {
    begin_turn();
    run_queue();
  }));
}

void Reactor::run_queue() {
  // Tasks woken from now on wait for the sockets' next turn: a task that always has more to do
  // cannot starve the others.
  for (std::size_t turns = queued_; turns > 0 && first_ != nullptr; --turns) {
    Waiter& waiter = *first_;
    waiter.unqueue();
    waiter.is_woken_ = false;
    std::exchange(waiter.task_, nullptr).resume();
  }
  is_dispatching_ = false;
  if (first_ != nullptr) run_queue_soon();
}

}  // namespace bellows::http
