#include "base/sys/line_output.hpp"

#include <csignal>
#include <system_error>
#include <utility>

namespace bellows::sys {

namespace {

constexpr Duration kLongestPoll = std::chrono::milliseconds(100);

/// A thread that is made meanwhile gets no signals: they stay with the program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

LineOutput::LineOutput(int fd, DroppedText dropped_text)
    : output_(fd), dropped_text_(std::move(dropped_text)), clock_(system_clock()) {}

LineOutput::~LineOutput() {
  {
    const std::lock_guard lock(mutex_);
    give_up_at_ = clock_.now() + kLastWait;
  }
  if (writer_.joinable()) writer_.join();
}

void LineOutput::write(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!has_writer_ && !kept_.empty()) write_kept();
  if (kept_.empty()) line.remove_prefix(output_.try_write(line));
  if (line.empty()) return;
  if (dropped_ > 0 || kept_.size() >= kMaxKept) {
    ++dropped_;
    return;
  }
  kept_ += line;
  if (!has_writer_) start_writer();
}

void LineOutput::write_kept() {
  kept_.erase(0, output_.try_write(kept_));
  if (dropped_ > 0 && kept_.size() <= kMaxKept / 2) {
    kept_ += dropped_text_(std::exchange(dropped_, 0));
  }
  if (kept_.empty()) std::string().swap(kept_);
}

/// Without a thread to spare, what is kept goes out before the next line.
void LineOutput::start_writer() {
  if (writer_.joinable()) writer_.join();  // it is at its end
  const SignalsBlocked blocked;
  try {
    writer_ = std::thread([this] { write_as_it_is_read(); });
    has_writer_ = true;
  } catch (const std::system_error&) {
    has_writer_ = false;
  }
}

void LineOutput::write_as_it_is_read() {
  while (true) {
    output_.wait_for_room(kLongestPoll);
    const std::lock_guard lock(mutex_);
    write_kept();
    if (!kept_.empty() && clock_.now() < give_up_at_) continue;
    has_writer_ = false;
    return;
  }
}

}  // namespace bellows::sys
