// Pools the memory that each request allocates and frees, above all coroutine frames. The C
// library's allocator caches fewer pieces than many concurrent requests need.
#pragma once

#include <cstddef>

namespace bellows {

/// Pools pieces by size and reuses the latest freed one first. Each thread has one pool.
class FramePool {
 public:
  static void* allocate(std::size_t bytes);
  static void deallocate(void* frame, std::size_t bytes) noexcept;

  /// Frees at most `most` pieces of this thread that have been free and unused since the last
  /// complete trim(). When fewer than `most` were left, this trim is complete. Allocations stay as
  /// fast as without it. Returns the bytes freed, 0 once complete.
  static std::size_t trim(std::size_t most);
};

}  // namespace bellows
