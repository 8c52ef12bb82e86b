#include "http/io/buffer_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "base/check.hpp"

namespace bellows::http {

namespace {

// What is never written is never there.
constexpr std::align_val_t kPage{BufferPool::kPage};
constexpr std::size_t kSlab = 16 * BufferPool::kHead;

char* allocate(std::size_t size) {
  return static_cast<char*>(::operator new(size, kPage));
}

void release(char* data) {
  ::operator delete(data, kPage);
}

}  // namespace

Block& Block::operator=(Block&& other) noexcept {
  if (this != &other) {
    give_back();
    pool_ = std::exchange(other.pool_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void Block::give_back() {
  if (data_ != nullptr) pool_->give_back(data_, size_);
  pool_ = nullptr;
  data_ = nullptr;
  size_ = 0;
}

BufferPool::~BufferPool() {
  CHECK(borrowed_ == 0, "a buffer pool outlives its blocks");
  for (char* slab : slabs_) release(slab);
  for (char* data : bodies_) release(data);
}

char* BufferPool::take_head() {
  ++borrowed_heads_;
  if (warm_heads_.empty() && cold_heads_.empty()) {
    char* const slab = slabs_.emplace_back(allocate(kSlab));
    ::madvise(slab, kSlab, MADV_NOHUGEPAGE);
    for (std::size_t at = kSlab; at > 0; at -= kHead) cold_heads_.push_back(slab + at - kHead);
  }
  if (warm_heads_.empty()) {
    char* const data = cold_heads_.back();
    cold_heads_.pop_back();
    return data;
  }
  char* const data = warm_heads_.back();
  warm_heads_.pop_back();
  return data;
}

char* BufferPool::take_body() {
  if (bodies_.empty()) return allocate(kBody);
  char* const data = bodies_.back();
  bodies_.pop_back();
  return data;
}

Block BufferPool::take(std::size_t size) {
  ++borrowed_;
  if (size <= kHead) return Block(this, take_head(), kHead);
  if (size <= kBody) return Block(this, take_body(), kBody);
  return Block(this, allocate(size), size);
}

void BufferPool::give_back(char* data, std::size_t size) {
  --borrowed_;
  if (size == kHead) {
    --borrowed_heads_;
    warm_heads_.push_back(data);
    cool_down();
  } else if (size == kBody && bodies_.size() < kKeptBodies) {
    bodies_.push_back(data);
  } else {
    release(data);
  }
}

/// Up to four at a time: when thousands are given back one after the other, `kept` sinks by two
/// each time and one more is warm.
void BufferPool::cool_down() {
  const std::size_t kept = std::max(kKeptHeads, 2 * borrowed_heads_);
  for (int i = 0; i < 4 && warm_heads_.size() > kept; ++i) {
    char* const oldest = warm_heads_.front();
    warm_heads_.pop_front();
    ::madvise(oldest, kHead, MADV_DONTNEED);
    cold_heads_.push_back(oldest);
  }
}

}  // namespace bellows::http
