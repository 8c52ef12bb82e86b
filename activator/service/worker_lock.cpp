#include "activator/service/worker_lock.hpp"

namespace bellows::activator {

/// It is held for a fraction of a microsecond: to sleep and to be woken takes ten times as long.
void WorkerLock::lock(std::mutex& mutex) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    if (mutex.try_lock()) return;
  }
  mutex.lock();
}

}  // namespace bellows::activator
