// Signals of the operating system as calls on the io thread.
#pragma once

#include <boost/asio/basic_signal_set.hpp>
#include <functional>
#include <initializer_list>

#include "base/lifetime.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

/// Owner: the program. Thread: the io thread. While it lives, its signals no longer end the
/// process.
class Signals {
 public:
  /// `number` arrived; it is the `count`-th of this object's signals, so that the first can begin a
  /// drain and the second end at once.
  using OnSignal = std::function<void(int number, int count)>;

  Signals(net::io_context& io, std::initializer_list<int> numbers, OnSignal on_signal);

 private:
  void wait();

  net::basic_signal_set<Executor> set_;
  OnSignal on_signal_;
  int count_ = 0;
  Lifetime lifetime_;
};

}  // namespace bellows::http
