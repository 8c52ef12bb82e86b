// Something that happens once, and those who wait for it.
#pragma once

#include "http/io/net.hpp"

namespace bellows::http {

/// set() lets every wait() end, those that come later too. Thread: the io thread.
class Event {
 public:
  explicit Event(net::io_context& io);

  void set();
  bool is_set() const { return is_set_; }

  /// Ends once set() was called; operation_aborted if its task group was stopped before.
  Awaitable<void> wait();

 private:
  Timer timer_;  // expires with set()
  bool is_set_ = false;
};

}  // namespace bellows::http
