#include "http/io/buffer_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "base/check.hpp"
#include "base/frame_pool.hpp"

namespace bellows::http {

namespace {

constexpr std::align_val_t kPage{BufferPool::kPage};
constexpr std::size_t kSlab = 16 * BufferPool::kHead;

char* allocate(std::size_t size) {
  return static_cast<char*>(::operator new(size, kPage));
}

void deallocate(char* data) {
  ::operator delete(data, kPage);
}

/// Maps a slab. The allocator would add a page for its header to each, which stays resident when
/// the heads are not, and neighbours could not share one mapping.
char* map_slab() {
  void* const mapped =
      ::mmap(nullptr, kSlab, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  ::madvise(mapped, kSlab, MADV_NOHUGEPAGE);
  return static_cast<char*>(mapped);
}

}  // namespace

Block& Block::operator=(Block&& other) noexcept {
  if (this != &other) {
    release();
    pool_ = std::exchange(other.pool_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void Block::release() {
  if (data_ != nullptr) pool_->release(data_, size_);
  pool_ = nullptr;
  data_ = nullptr;
  size_ = 0;
}

BufferPool::~BufferPool() {
  CHECK(borrowed_ == 0, "a buffer pool outlives its blocks");
  for (char* slab : slabs_) ::munmap(slab, kSlab);
  for (char* data : bodies_) deallocate(data);
}

char* BufferPool::acquire_head() {
  ++borrowed_heads_;
  if (warm_heads_.empty() && cold_heads_.empty()) {
    char* const slab = slabs_.emplace_back(map_slab());
    for (std::size_t at = kSlab; at > 0; at -= kHead) cold_heads_.push_back(slab + at - kHead);
  }
  if (warm_heads_.empty()) {
    char* const data = cold_heads_.back();
    cold_heads_.pop_back();
    return data;
  }
  char* const data = warm_heads_.back();
  warm_heads_.pop_back();
  unused_heads_ = std::min(unused_heads_, warm_heads_.size());
  return data;
}

char* BufferPool::acquire_body() {
  if (bodies_.empty()) return allocate(kBody);
  char* const data = bodies_.back();
  bodies_.pop_back();
  unused_bodies_ = std::min(unused_bodies_, bodies_.size());
  return data;
}

Block BufferPool::acquire(std::size_t size) {
  ++borrowed_;
  if (size <= kHead) return Block(this, acquire_head(), kHead);
  if (size <= kBody) return Block(this, acquire_body(), kBody);
  return Block(this, allocate(size), size);
}

Block BufferPool::acquire_exact(std::size_t size) {
  if (size == 0 || size >= kHead) return acquire(size);
  ++borrowed_;
  return Block(this, static_cast<char*>(FramePool::allocate(size)), size);
}

void BufferPool::release(char* data, std::size_t size) {
  --borrowed_;
  if (size < kHead) {
    FramePool::deallocate(data, size);
  } else if (size == kHead) {
    --borrowed_heads_;
    warm_heads_.push_back(data);
    release_memory();
  } else if (size == kBody && bodies_.size() < kMaxFreeBodies) {
    bodies_.push_back(data);
  } else {
    deallocate(data);
  }
}

/// Releases at most four heads at a time: when thousands are released one after the other, `kept`
/// decreases by two each time and one more is warm.
void BufferPool::release_memory() {
  const std::size_t kept = std::max(kMaxWarmHeads, 2 * borrowed_heads_);
  for (int i = 0; i < 4 && warm_heads_.size() > kept; ++i) {
    cool_oldest_head();
  }
}

void BufferPool::cool_oldest_head() {
  char* const oldest = warm_heads_.front();
  warm_heads_.pop_front();
  ::madvise(oldest, kHead, MADV_DONTNEED);
  cold_heads_.push_back(oldest);
}

std::size_t BufferPool::trim() {
  const std::size_t heads = std::min(unused_heads_, warm_heads_.size());
  for (std::size_t i = 0; i < heads; ++i) cool_oldest_head();
  for (std::size_t i = 0; i < unused_bodies_; ++i) {
    deallocate(bodies_.back());
    bodies_.pop_back();
  }
  const std::size_t bytes = heads * kHead + unused_bodies_ * kBody;
  unused_heads_ = warm_heads_.size();
  unused_bodies_ = bodies_.size();
  return bytes;
}

}  // namespace bellows::http
