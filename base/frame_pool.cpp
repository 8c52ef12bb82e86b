#include "base/frame_pool.hpp"

#include <array>
#include <new>

namespace bellows {

namespace {

// Sizes of 16 n + 8 bytes fill a piece of the C library's allocator, which has a header of 8 bytes,
// to its end. Frames larger than 4 KB are not pooled.
constexpr std::size_t kStep = 16;
constexpr std::size_t kLeast = 24;
constexpr std::size_t kSizes = 256;

// A sanitizer sees the use of freed memory only if that memory is freed.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BELLOWS_SANITIZES_ADDRESSES
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define BELLOWS_SANITIZES_ADDRESSES
#endif
#if defined(BELLOWS_SANITIZES_ADDRESSES)
constexpr bool kPools = false;
#else
constexpr bool kPools = true;
#endif
#undef BELLOWS_SANITIZES_ADDRESSES

/// One chain per size; the link is in the frame's first bytes.
using Chains = std::array<void*, kSizes>;

void* take_first(void*& first) {
  void* const frame = first;
  first = *static_cast<void**>(frame);
  return frame;
}

/// Free frames of one thread.
struct FreeFrames {
  Chains chains{};
  Chains aged{};            // free since the last trim; used when `chains` has none
  std::size_t trimmed = 0;  // number of leading chains of `aged` that are empty

  FreeFrames() = default;
  ~FreeFrames() {
    for (Chains* const all : {&chains, &aged}) {
      for (void*& first : *all) {
        while (first != nullptr) ::operator delete(take_first(first));
      }
    }
  }
  FreeFrames(const FreeFrames&) = delete;
  FreeFrames& operator=(const FreeFrames&) = delete;
};

thread_local FreeFrames free_frames;

std::size_t chain_of(std::size_t bytes) {
  return bytes <= kLeast ? 0 : (bytes - kLeast + kStep - 1) / kStep;
}

}  // namespace

void* FramePool::allocate(std::size_t bytes) {
  const std::size_t chain = chain_of(bytes);
  if (!kPools || chain >= kSizes) return ::operator new(bytes);
  if (void*& first = free_frames.chains[chain]; first != nullptr) return take_first(first);
  if (void*& first = free_frames.aged[chain]; first != nullptr) return take_first(first);
  return ::operator new(kLeast + chain * kStep);
}

void FramePool::deallocate(void* frame, std::size_t bytes) noexcept {
  const std::size_t chain = chain_of(bytes);
  if (!kPools || chain >= kSizes) return ::operator delete(frame);
  *static_cast<void**>(frame) = free_frames.chains[chain];
  free_frames.chains[chain] = frame;
}

std::size_t FramePool::trim(std::size_t most) {
  FreeFrames& frames = free_frames;
  std::size_t freed = 0;
  for (; frames.trimmed < kSizes; ++frames.trimmed) {
    void*& first = frames.aged[frames.trimmed];
    for (; first != nullptr; --most) {
      if (most == 0) return freed;
      ::operator delete(take_first(first));
      freed += kLeast + frames.trimmed * kStep;
    }
  }
  if (freed > 0) return freed;
  frames.aged.swap(frames.chains);
  frames.trimmed = 0;
  return 0;
}

}  // namespace bellows
