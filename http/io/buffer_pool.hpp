// Blocks of memory for messages in flight. A connection acquires one when bytes arrive and releases
// it when it is idle. The latest released block is used first, so that a busy thread works in a few
// warm blocks.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace bellows::http {

class BufferPool;

/// An acquired block, or none. Pages of it that are never written take no memory.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Block& operator=(Block&& other) noexcept;
  ~Block() { release(); }

  explicit operator bool() const { return data_ != nullptr; }
  char* data() const { return data_; }
  std::size_t size() const { return size_; }
  void release();

 private:
  friend class BufferPool;
  Block(BufferPool* pool, char* data, std::size_t size) : pool_(pool), data_(data), size_(size) {}

  BufferPool* pool_ = nullptr;
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Blocks of kHead are cut out of slabs, because a separate allocation has the allocator's header
/// in the page before it and a held request would take that page too. The address space for the
/// largest number of blocks ever borrowed at once stays reserved; the memory of blocks beyond the
/// limits below is returned to the system. The pool outlives its blocks. Thread: the io thread.
class BufferPool {
 public:
  static constexpr std::size_t kPage = 4096;       ///< alignment of blocks
  static constexpr std::size_t kHead = 16 * 1024;  ///< fits a head and usually its whole message
  static constexpr std::size_t kBody = 64 * 1024;  ///< for the rest of a body
  /// Limits of free blocks whose memory is kept; for heads also twice the number borrowed.
  /// Returning a page and faulting it in again costs as much as a small message, so enough are kept
  /// for a few hundred requests that arrive and end together.
  static constexpr std::size_t kMaxWarmHeads = 256;
  static constexpr std::size_t kMaxFreeBodies = 16;

  BufferPool() = default;
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// Returns at least `size` bytes: kHead, kBody, or above that a block of exactly that size.
  Block acquire(std::size_t size);
  /// Returns a block for a message whose size is known: exactly `size` bytes where that is less
  /// than kHead, else as acquire() does.
  Block acquire_exact(std::size_t size);
  std::size_t borrowed() const { return borrowed_; }
  /// Returns the number of borrowed blocks of kHead.
  std::size_t borrowed_heads() const { return borrowed_heads_; }
  /// Returns the number of free heads whose memory is still resident.
  std::size_t warm() const { return warm_heads_.size(); }
  /// Returns to the system the memory of blocks that were free since the previous call. Returns its
  /// bytes.
  std::size_t trim();

 private:
  friend class Block;
  char* acquire_head();
  char* acquire_body();
  void release(char* data, std::size_t size);
  void release_memory();
  void cool_oldest_head();

  std::vector<char*> slabs_;       // kSlab bytes each
  std::deque<char*> warm_heads_;   // ordered by release, the latest last
  std::vector<char*> cold_heads_;  // free, memory returned to the system
  std::vector<char*> bodies_;
  std::size_t unused_heads_ = 0;   // warm heads that were free since the last trim
  std::size_t unused_bodies_ = 0;  // the same for bodies
  std::size_t borrowed_heads_ = 0;
  std::size_t borrowed_ = 0;
};

}  // namespace bellows::http
