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
  CHECK(fd >= 0, "a program can make an epoll set when it starts");
  return fd;
}

}  // namespace

Waiter::Waiter(Reactor& reactor) : Deadline(reactor.watchdog()), reactor_(reactor) {}

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
      watchdog_([this] { set_timer(); }),
      epoll_(io, make_epoll()),
      timer_(io),
      alive_(std::make_shared<bool>(true)) {
  watchdog_.advance(now());
  wait_for_events();
}

Reactor::~Reactor() {
  *alive_ = false;
}

Result<void> Reactor::add(int fd, Watched& watched) {
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
  timer_.cancel();
}

void Reactor::tick() {
  is_taking_events_ = true;
  watchdog_.advance(now());
  set_timer();
  run_queue();
}

void Reactor::wait_for_events() {
  epoll_.async_wait(net::posix::descriptor_base::wait_read,
                    [this, alive = alive_](boost::system::error_code error) {
                      if (error || !*alive) return;
                      take_events();
                      if (*alive && !is_stopped_) wait_for_events();
                    });
}

void Reactor::take_events() {
  is_to_look_again_ = false;
  tell_events();
  // Once: sockets that are busy for ever must not keep timers and the service side waiting.
  if (is_to_look_again_ && !is_stopped_) tell_events();
}

void Reactor::tell_events() {
  constexpr int kBatch = 256;
  std::array<epoll_event, kBatch> events;  // NOLINT: filled by the kernel
  const int count = ::epoll_wait(epoll_.native_handle(), events.data(), kBatch, 0);
  // First all take note, then those who wait go on: nobody meets a connection that is gone.
  is_taking_events_ = true;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    static_cast<Watched*>(event.data.ptr)->on_events(event.events);
  }
  run_queue();
}

void Reactor::set_timer() {
  const TimePoint at = watchdog_.next_look();
  if (at == TimePoint::max() || is_stopped_) return;
  timer_.expires_after(std::max<Duration>(at - now(), std::chrono::milliseconds(1)));
  timer_.async_wait([this, alive = alive_](boost::system::error_code error) {
    if (error || !*alive || is_stopped_) return;
    tick();
  });
}

void Reactor::queue(Waiter& waiter) {
  waiter.is_queued_ = true;
  waiter.previous_ = last_;
  waiter.next_ = nullptr;
  (last_ == nullptr ? first_ : last_->next_) = &waiter;
  last_ = &waiter;
  ++queued_;
  if (!is_taking_events_ && queued_ == 1) run_queue_soon();
}

void Reactor::run_queue_soon() {
  net::post(io_, [this, alive = alive_] {
    if (*alive) run_queue();
  });
}

void Reactor::run_queue() {
  is_taking_events_ = true;
  // Those who are woken from now on have to wait for the sockets' next turn: a task that always
  // has more to do cannot keep the thread.
  for (std::size_t turns = queued_; turns > 0 && first_ != nullptr; --turns) {
    Waiter& waiter = *first_;
    waiter.unqueue();
    waiter.is_woken_ = false;
    std::exchange(waiter.task_, nullptr).resume();
  }
  is_taking_events_ = false;
  if (first_ != nullptr) run_queue_soon();
}

}  // namespace bellows::http
