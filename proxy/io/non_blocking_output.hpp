// A file descriptor that is written without ever waiting for whoever reads it.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/io/connection.hpp"

namespace bellows::proxy {

/// Pipes and terminals are opened anew, to be non-blocking here and nowhere else: the flag belongs
/// to the open file, which the program may share with its parent and its standard error.
/// Owner: an access log. Thread: the io thread.
class NonBlockingOutput {
 public:
  /// `fd` stays open and outlives it.
  explicit NonBlockingOutput(int fd);

  /// Writes what goes out at once; how much that was. Everything, if nobody reads any more.
  std::size_t try_write(std::string_view bytes);

 private:
  enum class Kind : std::uint8_t {
    kFile,      ///< never makes anybody wait
    kReopened,  ///< non-blocking by own_
    kSocket,    ///< non-blocking by a flag of each call
    kPolled,    ///< could not be opened anew (another user's pipe): asked before each small write
  };

  std::int64_t write_once(std::string_view bytes) const;

  int fd_;
  http::UniqueFd own_;
  Kind kind_ = Kind::kFile;
};

}  // namespace bellows::proxy
