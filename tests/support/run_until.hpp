// Runs an io_context until a condition is true, with a timeout.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>

#include "base/sys/clock.hpp"
#include "http/io/net.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::test {

/// Checks `is_true` before and after each handler, and every 10 ms, because it may be about a file
/// or a process, whose changes run no handler. Returns false after the timeout.
inline bool run_until(http::net::io_context& io, const std::function<bool()>& is_true) {
  constexpr Duration kLook = std::chrono::milliseconds(10);
  const TimePoint end = sys::system_clock().now() + kPatience;
  while (!is_true()) {
    const Duration left = end - sys::system_clock().now();
    if (left <= left.zero()) return false;
    io.restart();
    if (io.run_one_for(std::min(left, kLook)) == 0 && io.stopped()) return is_true();
  }
  return true;
}

}  // namespace bellows::test
