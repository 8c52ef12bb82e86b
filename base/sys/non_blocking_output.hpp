// A file descriptor that is written without ever waiting for whoever reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/time.hpp"

namespace bellows::sys {

/// What became of bytes that were to be written.
struct Written {
  std::size_t bytes = 0;  ///< of their front, which went out
  int error = 0;          ///< errno, if the next byte failed; 0: it waits for room, or all went out
};

/// True if it will not pass: the reader has left, or there never was one. False for a full disk.
bool is_lasting(int error);

/// Pipes and terminals are opened anew, to be non-blocking here and nowhere else: the flag belongs
/// to the open file, which the program may share with its parent and its standard error.
/// Thread: one at a time; wait_for_room() may run beside the others.
class NonBlockingOutput {
 public:
  /// `fd` stays open and outlives it.
  explicit NonBlockingOutput(int fd);
  ~NonBlockingOutput();
  NonBlockingOutput(const NonBlockingOutput&) = delete;
  NonBlockingOutput& operator=(const NonBlockingOutput&) = delete;

  /// Writes what goes out at once.
  Written write(std::string_view bytes);

  /// The same for what is worth nothing once it cannot be written: how much of it is done with,
  /// all if the descriptor failed.
  std::size_t try_write(std::string_view bytes);

  /// Waits until something may be written or has failed, at most this long. Files always have room.
  void wait_for_room(Duration longest) const;

 private:
  enum class Kind : std::uint8_t {
    kFile,      ///< never makes anybody wait
    kReopened,  ///< non-blocking by own_
    kSocket,    ///< non-blocking by a flag of each call
    kPolled,    ///< could not be opened anew (another user's pipe): asked before each small write
  };

  std::int64_t write_once(std::string_view bytes) const;

  const int fd_;
  int own_ = -1;
  Kind kind_ = Kind::kFile;
};

}  // namespace bellows::sys
