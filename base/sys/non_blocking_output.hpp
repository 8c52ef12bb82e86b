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

/// True if the error is permanent: there is no reader (any more). False for a full disk.
bool is_permanent(int error);

/// Pipes and terminals are reopened as non-blocking: the flag belongs to the open file, which the
/// program may share with its parent and its standard error, so it is not set on the original.
/// Thread: one at a time; wait_for_room() may run concurrently with the others.
class NonBlockingOutput {
 public:
  /// `fd` must stay open longer than this.
  explicit NonBlockingOutput(int fd);
  ~NonBlockingOutput();
  NonBlockingOutput(const NonBlockingOutput&) = delete;
  NonBlockingOutput& operator=(const NonBlockingOutput&) = delete;

  /// Writes what does not block.
  Written write(std::string_view bytes);

  /// The same for output that may be lost. Returns how many bytes are done: those written, or all
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
