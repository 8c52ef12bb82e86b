#include "activator/service/worker_lock.hpp"

namespace bellows::activator {

/// Spins, because the lock is held for a fraction of a microsecond and sleeping and waking take ten
/// times as long.
void WorkerLock::lock(std::mutex& mutex) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    if (mutex.try_lock()) return;
  }
  mutex.lock();
}

}  // namespace bellows::activator
