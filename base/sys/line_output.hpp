// Lines for a reader that may be slow, paused or gone; nobody waits for it.
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

/// A line is one write, by the caller. What does not go out at once is kept, up to kMaxKept, and
/// written by a thread that lives for as long as something is kept. Further lines are dropped,
/// whole, until half of that has been read; one line then tells their number, in their place.
/// Thread: any. Its end gives a slow reader kLastWait.
class LineOutput {
 public:
  static constexpr std::size_t kMaxKept = std::size_t{256} * 1024;
  static constexpr Duration kLastWait = std::chrono::seconds(1);

  /// The line, with its newline, that stands for `lines` dropped ones. Called by any thread, by one
  /// at a time; writes nothing to this output.
  using DroppedText = std::function<std::string(std::uint64_t lines)>;

  /// `fd` stays open and outlives it.
  LineOutput(int fd, DroppedText dropped_text);
  ~LineOutput();
  LineOutput(const LineOutput&) = delete;
  LineOutput& operator=(const LineOutput&) = delete;

  /// `line` ends with its newline. Never waits.
  void write(std::string_view line);

 private:
  void write_kept();
  void start_writer();
  void write_as_it_is_read();

  NonBlockingOutput output_;
  const DroppedText dropped_text_;
  const Clock& clock_;

  std::mutex mutex_;  // guards what follows, and writing
  std::string kept_;
  std::uint64_t dropped_ = 0;
  bool has_writer_ = false;
  TimePoint give_up_at_ = TimePoint::max();
  std::thread writer_;  // joined before a next one is started, and at the end
};

}  // namespace bellows::sys
