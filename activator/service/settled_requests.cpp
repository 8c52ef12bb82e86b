#include "activator/service/settled_requests.hpp"

#include <boost/asio/post.hpp>

namespace bellows::activator {

void SettledRequests::wake(http::Waiter& waiter) {
  if (std::this_thread::get_id() == thread_) return waiter.wake();
  woken_.push_back(&waiter);
  if (woken_.size() > 1) return;  // the call is already posted
  http::net::post(reactor_.io(), lifetime_.bind([this] { wake_all(); }));
}

void SettledRequests::forget(const http::Waiter& waiter) {
  std::erase(woken_, &waiter);
}

/// Wakes the tasks, which only queues them: none of them runs, and takes the lock, before this
/// returns.
void SettledRequests::wake_all() {
  const WorkerLock::Hold hold(lock_);
  for (http::Waiter* const waiter : woken_) waiter->wake();
  woken_.clear();
}

}  // namespace bellows::activator
