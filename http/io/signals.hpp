// Signals of the operating system as calls on the io thread.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

#include "http/io/net.hpp"

namespace bellows::http {

/// Owner: the program. Thread: the io thread. While it lives, its signals no longer end the
/// process.
class Signals {
 public:
  /// `number` came; it is the `count`-th of this object's signals, so that the first can begin a
  /// drain and the second end at once.
  using OnSignal = std::function<void(int number, int count)>;

  Signals(net::io_context& io, std::initializer_list<int> numbers, OnSignal on_signal);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the pending wait's handler
};

}  // namespace bellows::http
