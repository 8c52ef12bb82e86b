// Wakes the requests of one worker that another worker has given a replica, or rejected.
#pragma once

#include <thread>
#include <vector>

#include "activator/service/worker_lock.hpp"
#include "base/lifetime.hpp"
#include "http/io/reactor.hpp"

namespace bellows::activator {

/// Owner: the worker. Reactor and lock outlive it. Thread: any.
class SettledRequests {
 public:
  SettledRequests(http::Reactor& reactor, WorkerLock& lock) : reactor_(reactor), lock_(lock) {}

  /// Sets the calling thread as the one in which its requests wait.
  void settle_in() { thread_ = std::this_thread::get_id(); }

  /// Wakes the task that waits there. It may be destroyed before, after forget().
  void wake(http::Waiter& waiter) BELLOWS_REQUIRES(kWorkerData);
  /// Removes the waiter. It runs on the worker's thread.
  void forget(const http::Waiter& waiter) BELLOWS_REQUIRES(kWorkerData);

 private:
  void wake_all();

  http::Reactor& reactor_;
  WorkerLock& lock_;
  std::thread::id thread_;
  // Requests that other threads settled, in that order.
  std::vector<http::Waiter*> woken_ BELLOWS_GUARDED_BY(kWorkerData);
  Lifetime lifetime_;  // for posted calls
};

}  // namespace bellows::activator
