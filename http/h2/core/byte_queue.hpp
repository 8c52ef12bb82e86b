// A contiguous queue of bytes. Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/frame_pool.hpp"

namespace bellows::http2 {

/// A queue that takes memory only while it is not empty. It holds at most 4 GiB.
class ByteQueue {
 public:
  ByteQueue() = default;
  ByteQueue(ByteQueue&& other) noexcept
      : bytes_(std::exchange(other.bytes_, nullptr)),
        begin_(std::exchange(other.begin_, 0)),
        end_(std::exchange(other.end_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  ByteQueue& operator=(ByteQueue&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~ByteQueue() { release(); }

  bool empty() const { return begin_ == end_; }
  std::size_t size() const { return end_ - begin_; }
  std::string_view view() const { return {bytes_ + begin_, size()}; }

  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    reserve(bytes.size());
    std::memcpy(bytes_ + end_, bytes.data(), bytes.size());
    end_ += static_cast<std::uint32_t>(bytes.size());
  }

  /// Drops the first bytes. Invalidates views.
  void consume(std::size_t bytes) {
    begin_ += static_cast<std::uint32_t>(bytes);
    if (empty()) clear();
  }

  void clear() {
    release();
    begin_ = end_ = capacity_ = 0;
  }

 private:
  static constexpr std::size_t kLeast = 256;

  void release() {
    if (bytes_ != nullptr) FramePool::deallocate(std::exchange(bytes_, nullptr), capacity_);
  }

  void reserve(std::size_t more) {
    if (capacity_ - end_ >= more) return;
    const std::size_t wanted = size() + more;
    if (wanted <= capacity_ / 2) {  // rare enough that moving costs less than a copy of each byte
      std::memmove(bytes_, bytes_ + begin_, size());
    } else {
      const std::size_t capacity = std::bit_ceil(std::max(wanted, kLeast));
      char* const larger = static_cast<char*>(FramePool::allocate(capacity));
      if (!empty()) std::memcpy(larger, bytes_ + begin_, size());
      release();
      bytes_ = larger;
      capacity_ = static_cast<std::uint32_t>(capacity);
    }
    end_ = static_cast<std::uint32_t>(size());
    begin_ = 0;
  }

  char* bytes_ = nullptr;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace bellows::http2
