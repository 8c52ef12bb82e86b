// Blocks signals in further threads.
#pragma once

#include <csignal>

namespace bellows::sys {

/// Blocks all signals in threads that start during its lifetime, so that the program's own threads
/// handle the signals. Thread: the one that starts them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace bellows::sys
