// The lock of the data that the workers of an activator share: routes, queues and slots.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.hpp"
#include "base/thread_safety.hpp"
#include "base/time.hpp"

namespace bellows::activator {

/// All data that the lock of an activator guards. It has one lock, so one name stands for it
/// wherever the lock is reached from (base/thread_safety.hpp).
class BELLOWS_CAPABILITY("worker lock") WorkerData {};
inline constexpr WorkerData kWorkerData{};

/// With one worker it locks nothing, and each call costs a comparison. It is held for a few steps
/// of arithmetic, and never across a wait, a system call, a line of the log or a callback into
/// other parts of the program. Owner: the ActivatorService. Thread: any; the home thread is that of
/// the service.
class WorkerLock {
 public:
  class [[nodiscard]] BELLOWS_SCOPED_CAPABILITY Hold {
   public:
    explicit Hold(WorkerLock& lock) BELLOWS_ACQUIRE(kWorkerData) : mutex_(lock.mutex_in_use_) {
      if (mutex_ != nullptr) WorkerLock::lock(*mutex_);
    }
    ~Hold() BELLOWS_RELEASE() { unlock(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    /// Releases it as soon as the rest of the scope does not need it.
    void release() BELLOWS_RELEASE() BELLOWS_UNCHECKED_LOCKING;

   private:
    void unlock() {
      if (mutex_ != nullptr) std::exchange(mutex_, nullptr)->unlock();
    }

    std::mutex* mutex_;  // nullptr: not locked
  };

  /// Allows the home thread to read without the lock what only it changes.
  class [[nodiscard]] BELLOWS_SCOPED_CAPABILITY AtHome {
   public:
    explicit AtHome(const WorkerLock& lock) BELLOWS_ACQUIRE_SHARED(kWorkerData) {
      CHECK(lock.is_home(), "what is read without the lock is read at home");
    }
    ~AtHome() BELLOWS_RELEASE() {}
    AtHome(const AtHome&) = delete;
    AtHome& operator=(const AtHome&) = delete;
  };

  /// Makes several threads use what it guards; the calling one is the home thread. Call it before
  /// the first of the others starts.
  void share() {
    home_ = std::this_thread::get_id();
    mutex_in_use_ = &mutex_;
  }
  bool is_shared() const { return mutex_in_use_ != nullptr; }
  /// Returns true on the thread of the service.
  bool is_home() const { return !is_shared() || std::this_thread::get_id() == home_; }

  /// Returns `now`, or the latest instant that a worker passed: the readings of two threads may
  /// arrive in any order, but queues are in the order of time.
  TimePoint in_order(TimePoint now) BELLOWS_REQUIRES(kWorkerData) {
    if (!is_shared()) return now;
    latest_ = std::max(latest_, now);
    return latest_;
  }

 private:
  static constexpr std::size_t kCacheLine = 64;
  static void lock(std::mutex& mutex);

  // All workers read it at any time, so it does not share the cache line of what each holder
  // changes.
  std::mutex* mutex_in_use_ = nullptr;  // nullptr until share()
  std::thread::id home_;
  alignas(kCacheLine) std::mutex mutex_;
  TimePoint latest_ BELLOWS_GUARDED_BY(kWorkerData) = TimePoint::min();
};

inline void WorkerLock::Hold::release() {
  unlock();
}

}  // namespace bellows::activator
