// Returns memory that a loop needed for a peak to the system.
#pragma once

#include <cstddef>

#include "base/sys/clock.hpp"
#include "http/io/buffer_pool.hpp"
#include "http/io/timer_wheel.hpp"

namespace bellows::http {

/// Every ten seconds it frees the blocks that this thread's pools did not use in that time, a
/// millisecond at a time. Once most of a peak is freed, the C library returns the memory to the
/// system. So a loop holds the memory of a peak for some thirty seconds more, and a busy one keeps
/// what it uses. Owner: the reactor.
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
  std::size_t freed_ = 0;           // bytes not returned to the system yet
  bool is_in_round_ = false;
};

}  // namespace bellows::http
