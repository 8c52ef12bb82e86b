// A one-shot event for Awaitables: set once, waited for by any number of coroutines.
#pragma once

#include "http/io/net.hpp"

namespace bellows::http {

/// set() ends every wait(), later ones too. A Task uses a Waiter instead. Thread: the io thread.
class Event {
 public:
  explicit Event(net::io_context& io);

  void set();
  bool is_set() const { return is_set_; }

  /// Returns after set(); throws operation_aborted if its task group was stopped before.
  Awaitable<void> wait();

 private:
  AsioTimer timer_;  // expires with set()
  bool is_set_ = false;
};

}  // namespace bellows::http
