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
  while (links_ != nullptr) links_->leave();
  if (queue_ != nullptr) queue_->remove(*this);
}

void WaiterLink::lead_to(Waiter* waiter) {
  if (waiter == waiter_) return;
  leave();
  if (waiter == nullptr) return;
  waiter_ = waiter;
  next_ = waiter->links_;
  if (next_ != nullptr) next_->previous_ = this;
  waiter->links_ = this;
}

void WaiterLink::leave() {
  if (waiter_ == nullptr) return;
  (previous_ != nullptr ? previous_->next_ : waiter_->links_) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  waiter_ = nullptr;
  previous_ = next_ = nullptr;
}

void Waiter::wake() {
  woken_ = Woken::kYes;
  if (queue_ == &reactor_.patient_) queue_->remove(*this);
  if (queue_ == nullptr && task_) reactor_.queue(*this, reactor_.woken_);
}

void Waiter::wake_last() {
  if (woken_ == Woken::kNo) woken_ = Woken::kLast;
  if (queue_ == nullptr && task_) reactor_.queue(*this, reactor_.patient_);
}

void Waiter::hold(std::coroutine_handle<> task) {
  task_ = task;
  if (woken_ == Woken::kYes) wake();
  if (woken_ == Woken::kLast) wake_last();
}

void WaiterQueue::append(Waiter& waiter) {
  waiter.queue_ = this;
  waiter.previous_ = last_;
  waiter.next_ = nullptr;
  (last_ == nullptr ? first_ : last_->next_) = &waiter;
  last_ = &waiter;
  ++size_;
}

void WaiterQueue::remove(Waiter& waiter) {
  (waiter.previous_ != nullptr ? waiter.previous_->next_ : first_) = waiter.next_;
  (waiter.next_ != nullptr ? waiter.next_->previous_ : last_) = waiter.previous_;
  waiter.previous_ = waiter.next_ = nullptr;
  waiter.queue_ = nullptr;
  --size_;
}

void WaiterQueue::run_first() {
  Waiter& waiter = *first_;
  remove(waiter);
  waiter.woken_ = Waiter::Woken::kNo;
  std::exchange(waiter.task_, nullptr).resume();
}

Reactor::Reactor(net::io_context& io, const sys::Clock& clock, SocketApi& sockets)
    : io_(io),
      clock_(clock),
      sockets_(sockets),
      timers_([this] { set_timer(); }),
      spare_memory_(timers_, clock, buffers_),
      epoll_(io, make_epoll()),
      wake_timer_(io) {
  timers_.advance(now());
  spare_memory_.start();
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
  run_queues();
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
  // A busy loop polls here for events that arrived meanwhile; a turn of Asio's loop costs two more
  // system calls.
  if (count > 1) poll_again();
  // All events are recorded before any task runs, so no task uses a connection that has ended.
  begin_turn();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    static_cast<EventHandler*>(event.data.ptr)->on_events(event.events);
  }
  run_queues();
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

void Reactor::queue(Waiter& waiter, WaiterQueue& queue) {
  queue.append(waiter);
  if (!is_dispatching_) run_queues_soon();
}

void Reactor::run_queues_soon() {
  if (std::exchange(is_run_posted_, true)) return;
  net::post(io_, lifetime_.bind([this] {
    is_run_posted_ = false;
    // New events are handled before work that may be delayed.
    if (!patient_.is_empty() && !is_stopped_) return handle_events();
    begin_turn();
    run_queues();
  }));
}

void Reactor::run_queues() {
  // Tasks woken from now on run after the sockets' next turn, so that a task that always has more
  // to do cannot starve the others.
  for (std::size_t turns = woken_.size(); turns > 0 && !woken_.is_empty(); --turns) {
    woken_.run_first();
  }
  if (!patient_.is_empty()) run_patient();
  is_dispatching_ = false;
  if (!woken_.is_empty() || !patient_.is_empty()) run_queues_soon();
}

/// Runs at least one delayed task, then others for as long as this turn has taken, or for kMoment.
/// So delayed work gets half of the time under load, and new events wait for it for kMoment and one
/// more task at most, which may be a handshake.
void Reactor::run_patient() {
  constexpr Duration kMoment = std::chrono::microseconds(100);
  constexpr int kMost = 64;
  const TimePoint begin = now();
  const TimePoint end = begin + std::max(kMoment, begin - turn_began_);
  int tasks = 0;
  do {
    patient_.run_first();
  } while (++tasks < kMost && !patient_.is_empty() && now() < end);
}

}  // namespace bellows::http
