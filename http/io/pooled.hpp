// Objects whose memory comes from the pool of coroutine frames: those that come and go with each
// request, more of them at once than the allocator of the C library keeps at hand.
#pragma once

#include <cstddef>

#include "base/frame_pool.hpp"

namespace bellows::http {

/// A base of such a class. Thread: objects are destroyed on the one that made them.
class Pooled {
 public:
  static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
  static void operator delete(void* object, std::size_t bytes) noexcept {
    FramePool::deallocate(object, bytes);
  }

 protected:
  Pooled() = default;
  ~Pooled() = default;
};

}  // namespace bellows::http
