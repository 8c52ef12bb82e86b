// Allocates objects that live as long as a request from the pool of coroutine frames, because the C
// library's allocator caches too few pieces for many concurrent requests.
#pragma once

#include <cstddef>

#include "base/frame_pool.hpp"

namespace bellows::http {

/// A base of such a class. Thread: objects are destroyed on the thread that created them.
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
