#include "http/io/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace bellows::http {

namespace {

/// Blocks the signals and opens a signalfd, which delivers signals that would otherwise have their
/// default action.
int open_source(std::initializer_list<int> numbers) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : numbers) sigaddset(&signals, number);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int source = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (source < 0) throw std::system_error(errno, std::generic_category(), "signals");
  return source;
}

}  // namespace

Signals::Signals(net::io_context& io, std::initializer_list<int> numbers, OnSignal on_signal)
    : source_(io, open_source(numbers)), on_signal_(std::move(on_signal)) {
  wait();
}

void Signals::wait() {
  source_.async_wait(decltype(source_)::wait_read,
                     lifetime_.bind([this](const boost::system::error_code& error) {
                       if (!error) read();
                     }));
}

void Signals::read() {
  signalfd_siginfo signal{};
  const ssize_t length = ::read(source_.native_handle(), &signal, sizeof signal);
  wait();
  if (length != sizeof signal) return;
  sender_ = static_cast<pid_t>(signal.ssi_pid);
  const OnSignal on_signal = on_signal_;  // it may destroy this object
  on_signal(static_cast<int>(signal.ssi_signo), ++count_);
}

}  // namespace bellows::http
