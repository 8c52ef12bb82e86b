#include "http/io/buffer_pool.hpp"

#include <new>

#include "base/check.hpp"

namespace bellows::http {

namespace {

// Blocks start on a page, so that what is never written is never there.
constexpr std::align_val_t kPage{4096};

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
  for (char* data : heads_) release(data);
  for (char* data : bodies_) release(data);
}

std::vector<char*>* BufferPool::free_list(std::size_t size) {
  if (size == kHead) return &heads_;
  return size == kBody ? &bodies_ : nullptr;
}

Block BufferPool::take(std::size_t size) {
  const std::size_t whole = size <= kHead ? kHead : size <= kBody ? kBody : size;
  ++borrowed_;
  std::vector<char*>* const free = free_list(whole);
  if (free == nullptr || free->empty()) return Block(this, allocate(whole), whole);
  char* const data = free->back();
  free->pop_back();
  return Block(this, data, whole);
}

void BufferPool::give_back(char* data, std::size_t size) {
  --borrowed_;
  std::vector<char*>* const free = free_list(size);
  const std::size_t kept = size == kHead ? kKeptHeads : kKeptBodies;
  if (free != nullptr && free->size() < kept) {
    free->push_back(data);
  } else {
    release(data);
  }
}

}  // namespace bellows::http
