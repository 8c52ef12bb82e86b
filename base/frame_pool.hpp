// Memory of what comes and goes with each request, coroutine frames above all: more of it at once
// than the allocator of the C library keeps at hand.
#pragma once

#include <cstddef>

namespace bellows {

/// Pieces pooled by size, the latest freed is used first. One pool a thread.
class FramePool {
 public:
  static void* allocate(std::size_t bytes);
  static void deallocate(void* frame, std::size_t bytes) noexcept;

  /// Frees at most `most` of this thread's pieces that were free when trim() last came to its end,
  /// and were not used since; then, if fewer were left, comes to its end. Allocations cost the same
  /// as without it. Returns the bytes freed, 0 at the end.
  static std::size_t trim(std::size_t most);
};

}  // namespace bellows
