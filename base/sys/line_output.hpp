// Writes lines to a reader that may be slow, paused or closed. Writers never block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/sys/clock.hpp"
#include "base/sys/non_blocking_output.hpp"
#include "base/time.hpp"

namespace bellows::sys {

/// Writes a line at once on the caller's thread. If that would block, the line is buffered, up to
/// kMaxBuffered bytes, and a thread writes the buffer; the thread ends when the buffer is empty.
/// Beyond that size, whole lines are dropped until half of the buffer is written; one line with
/// their number then replaces them. The destructor waits up to kFlushTimeout for a slow reader.
/// Thread: any.
class LineOutput {
 public:
  static constexpr std::size_t kMaxBuffered = std::size_t{256} * 1024;
  static constexpr Duration kFlushTimeout = std::chrono::seconds(1);

  /// Returns the line, with its newline, that replaces `lines` dropped lines. It may run on any
  /// thread, on one at a time. It must not write to this output.
  using DroppedText = std::function<std::string(std::uint64_t lines)>;

  /// `fd` must stay open longer than this object.
  LineOutput(int fd, DroppedText dropped_text);
  ~LineOutput();
  LineOutput(const LineOutput&) = delete;
  LineOutput& operator=(const LineOutput&) = delete;

  /// Writes `line`, which ends with its newline. It never blocks.
  void write(std::string_view line);

 private:
  void write_buffered();
  void start_writer();
  void run_writer();

  NonBlockingOutput output_;
  const DroppedText dropped_text_;
  const Clock& clock_;

  std::mutex mutex_;  // guards the members below and all writing
  std::string buffered_;
  std::uint64_t dropped_ = 0;
  bool has_writer_ = false;
  TimePoint give_up_at_ = TimePoint::max();
  std::thread writer_;  // joined before the next one starts, and by the destructor
};

}  // namespace bellows::sys
