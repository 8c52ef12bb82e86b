// Memory that a loop needed once and does not need any more goes back to the system.
#pragma once

#include <cstddef>

#include "base/sys/clock.hpp"
#include "http/io/buffer_pool.hpp"
#include "http/io/timer_wheel.hpp"

namespace bellows::http {

/// Every ten seconds it frees what this thread's pools did not use for that long, a millisecond at
/// a time; once the most of a peak is freed, the C library gives it back. So a loop has the memory
/// of a peak for some thirty seconds more, and a busy one keeps what it uses. Owner: the reactor.
class SpareMemory final : public Timer {
 public:
  SpareMemory(TimerWheel& timers, const sys::Clock& clock, BufferPool& buffers)
      : Timer(timers), clock_(clock), buffers_(buffers) {}

  void start();

 private:
  void on_expiry() override;
  bool trim_frames(TimePoint end);
  void end_round();

  const sys::Clock& clock_;
  BufferPool& buffers_;
  std::size_t freed_in_round_ = 0;  // bytes
  std::size_t freed_ = 0;           // not given back yet
  bool is_in_round_ = false;
};

}  // namespace bellows::http
