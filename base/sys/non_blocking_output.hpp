// Writes to a file descriptor without ever blocking on its reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/time.hpp"

namespace bellows::sys {

/// The result of a write.
struct Written {
  std::size_t bytes = 0;  ///< written, from the beginning
  int error = 0;          ///< errno of the next byte; 0: it would block, or all was written
};

/// Returns true if the error is permanent because there is no reader (any more). A full disk is not
/// permanent.
bool is_permanent(int error);

/// Writes without blocking. It reopens pipes and terminals as non-blocking, because the flag
/// belongs to the open file, which the program may share with its parent and its standard error.
/// Thread: one at a time; wait_for_room() may run concurrently with the others.
class NonBlockingOutput {
 public:
  /// `fd` must stay open longer than this object.
  explicit NonBlockingOutput(int fd);
  ~NonBlockingOutput();
  NonBlockingOutput(const NonBlockingOutput&) = delete;
  NonBlockingOutput& operator=(const NonBlockingOutput&) = delete;

  /// Writes as much as is possible without blocking.
  Written write(std::string_view bytes);

  /// Writes output that may be lost. Returns how many bytes are done: those written, or all of them
  /// if the descriptor failed.
  std::size_t try_write(std::string_view bytes);

  /// Waits until a write can succeed or fail, at most `timeout`. Regular files never block.
  void wait_for_room(Duration timeout) const;

 private:
  enum class Kind : std::uint8_t {
    kFile,      ///< a regular file: never blocks
    kReopened,  ///< non-blocking through own_
    kSocket,    ///< non-blocking by a flag of every call
    kPolled,    ///< cannot be reopened (another user's pipe): polled before every small write
  };

  std::int64_t write_once(std::string_view bytes) const;

  const int fd_;
  int own_ = -1;
  Kind kind_ = Kind::kFile;
};

}  // namespace bellows::sys
