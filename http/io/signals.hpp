// Delivers signals of the operating system as calls on the io thread.
#pragma once

#include <sys/types.h>

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <functional>
#include <initializer_list>

#include "base/lifetime.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

/// Catches signals from its creation on, so that they do not end the process. A signal that the
/// parent process had blocked, or that is still pending from before, is delivered too. Throws
/// std::system_error if the process has no descriptor left. Owner: the program. Thread: the io
/// thread, which starts no other thread before.
class Signals {
 public:
  /// Receives `number`, which is the `count`-th of this object's signals, so that the first can
  /// begin a drain and the second end at once.
  using OnSignal = std::function<void(int number, int count)>;

  Signals(net::io_context& io, std::initializer_list<int> numbers, OnSignal on_signal);

  /// Returns, during `on_signal`, the process that sent the signal; 0 if it is outside of this PID
  /// namespace, or the kernel (a terminal).
  pid_t sender() const { return sender_; }

 private:
  void wait();
  void read();

  net::posix::basic_stream_descriptor<Executor> source_;
  OnSignal on_signal_;
  int count_ = 0;
  pid_t sender_ = 0;
  Lifetime lifetime_;
};

}  // namespace bellows::http
