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
};

}  // namespace bellows
