// The lock of the data that the workers of an activator share: routes, queues and slots.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>

#include "base/time.hpp"

namespace bellows::activator {

/// With one worker nothing is locked, and each call costs a comparison. Held for a few steps of
/// arithmetic: never across a wait, a system call, a line of the log or a callback into other parts
/// of the program. Owner: the ActivatorService. Thread: any; the home thread is that of the
/// service.
class WorkerLock {
 public:
  class [[nodiscard]] Hold {
   public:
    explicit Hold(std::mutex* mutex) : mutex_(mutex) {
      if (mutex_ != nullptr) lock(*mutex_);
    }
    ~Hold() { release(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    /// Once what follows needs it no more.
    void release() {
      if (mutex_ != nullptr) std::exchange(mutex_, nullptr)->unlock();
    }

   private:
    std::mutex* mutex_;  // nullptr: not locked
  };

  /// From now on several threads use what it guards; the calling one is the home thread. Before the
  /// first of the others starts.
  void share() {
    home_ = std::this_thread::get_id();
    mutex_in_use_ = &mutex_;
  }
  bool is_shared() const { return mutex_in_use_ != nullptr; }
  Hold hold() { return Hold(mutex_in_use_); }
  /// The calling thread is that of the service.
  bool is_home() const { return !is_shared() || std::this_thread::get_id() == home_; }

  /// `now`, or the latest instant that a worker came with: time that two threads have read comes in
  /// any order, and queues are in the order of time. With the lock held.
  TimePoint in_order(TimePoint now) {
    if (!is_shared()) return now;
    latest_ = std::max(latest_, now);
    return latest_;
  }

 private:
  static constexpr std::size_t kCacheLine = 64;
  static void lock(std::mutex& mutex);

  // Read by all at any time, so it does not share the cache line of what each holder changes.
  std::mutex* mutex_in_use_ = nullptr;  // nullptr until share()
  std::thread::id home_;
  alignas(kCacheLine) std::mutex mutex_;
  TimePoint latest_ = TimePoint::min();
};

}  // namespace bellows::activator
