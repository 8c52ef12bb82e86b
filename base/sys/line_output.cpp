#include "base/sys/line_output.hpp"

#include <system_error>
#include <utility>

#include "base/sys/signals_blocked.hpp"

namespace bellows::sys {

namespace {

constexpr Duration kPollInterval = std::chrono::milliseconds(100);

}  // namespace

LineOutput::LineOutput(int fd, DroppedText dropped_text)
    : output_(fd), dropped_text_(std::move(dropped_text)), clock_(system_clock()) {}

LineOutput::~LineOutput() {
  {
    const std::lock_guard lock(mutex_);
    give_up_at_ = clock_.now() + kFlushTimeout;
  }
  if (writer_.joinable()) writer_.join();
}

void LineOutput::write(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!has_writer_ && !buffered_.empty()) write_buffered();
  if (buffered_.empty()) line.remove_prefix(output_.try_write(line));
  if (line.empty()) return;
  if (dropped_ > 0 || buffered_.size() >= kMaxBuffered) {
    ++dropped_;
    return;
  }
  buffered_ += line;
  if (!has_writer_) start_writer();
}

void LineOutput::write_buffered() {
  buffered_.erase(0, output_.try_write(buffered_));
  if (dropped_ > 0 && buffered_.size() <= kMaxBuffered / 2) {
    buffered_ += dropped_text_(std::exchange(dropped_, 0));
  }
  if (buffered_.empty()) std::string().swap(buffered_);
}

/// If no thread can be started, write() writes the buffer before the next line.
void LineOutput::start_writer() {
  if (writer_.joinable()) writer_.join();  // it is ending
  const SignalsBlocked blocked;
  try {
    writer_ = std::thread([this] { run_writer(); });
    has_writer_ = true;
  } catch (const std::system_error&) {
    has_writer_ = false;
  }
}

void LineOutput::run_writer() {
  while (true) {
    output_.wait_for_room(kPollInterval);
    const std::lock_guard lock(mutex_);
    write_buffered();
    if (!buffered_.empty() && clock_.now() < give_up_at_) continue;
    has_writer_ = false;
    return;
  }
}

}  // namespace bellows::sys
