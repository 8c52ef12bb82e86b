// Order of the ids of a client's streams. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bellows::http2 {

/// Detects streams that were closed before they began: a stream with a higher id closes those below
/// it that were never opened (RFC 9113 5.1.1). Only the last few gaps are kept, so a stream in an
/// older gap passes as a late frame. Owner: a server's connection.
class StreamIds {
 public:
  /// Records HEADERS of a client's stream. Returns false if the stream was closed before it began,
  /// which is a connection error.
  bool note(std::int32_t id) {
    if (id > highest_) {
      if (id > highest_ + 2) gaps_[next_++ % gaps_.size()] = {highest_ + 2, id - 2};
      highest_ = id;
      return true;
    }
    for (const Gap& gap : gaps_) {
      if (id >= gap.first && id <= gap.last) return false;
    }
    return true;
  }

 private:
  struct Gap {
    std::int32_t first = 1;
    std::int32_t last = 0;
  };
  std::array<Gap, 4> gaps_{};
  std::size_t next_ = 0;
  std::int32_t highest_ = -1;
};

}  // namespace bellows::http2
