// Blocks of memory for messages in flight. A connection acquires one when bytes arrive and releases
// it when it is idle. The latest released is used first, so that a busy thread works in a few warm
// blocks.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace bellows::http {

class BufferPool;

/// An acquired block, or none. Pages of it that are never written cost no memory.
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

/// Blocks of kHead are cut out of slabs: a separate allocation has the allocator's header in the
/// page before it, and a held request would cost that page too. The address space for the largest
/// number of blocks ever borrowed at once stays reserved; the memory of those that are not needed
/// is returned to the system. Thread: the io thread. Outlives its blocks.
class BufferPool {
 public:
  static constexpr std::size_t kPage = 4096;       ///< blocks begin on one
  static constexpr std::size_t kHead = 16 * 1024;  ///< a head and usually its whole message
  static constexpr std::size_t kBody = 64 * 1024;  ///< for the rest of a body
  /// Limits of free blocks whose memory is kept; for heads also twice the number borrowed. To
  /// return a page and take it again costs as much as a small message: enough are kept for a few
  /// hundred requests that come and go together.
  static constexpr std::size_t kMaxWarmHeads = 256;
  static constexpr std::size_t kMaxFreeBodies = 16;

  BufferPool() = default;
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// At least `size` bytes: kHead, kBody, or above that a block of exactly that size.
  Block acquire(std::size_t size);
  /// For a message that is known to become no larger: of exactly `size` bytes where that is less
  /// than kHead, else as acquire() does.
  Block acquire_exact(std::size_t size);
  std::size_t borrowed() const { return borrowed_; }
  /// Of those, blocks of kHead.
  std::size_t borrowed_heads() const { return borrowed_heads_; }
  /// Free heads whose memory is still resident.
  std::size_t warm() const { return warm_heads_.size(); }
  /// Returns the memory of those blocks that were free ever since the call before. Returns its
  /// bytes.
  std::size_t trim();

 private:
  friend class Block;
  char* acquire_head();
  char* acquire_body();
  void release(char* data, std::size_t size);
  void release_memory();
  void cool_oldest_head();

  std::vector<char*> slabs_;       // of kSlab bytes each
  std::deque<char*> warm_heads_;   // the last one was released last
  std::vector<char*> cold_heads_;  // without memory
  std::vector<char*> bodies_;
  std::size_t unused_heads_ = 0;   // warm ones that were free ever since the last trim
  std::size_t unused_bodies_ = 0;  // likewise
  std::size_t borrowed_heads_ = 0;
  std::size_t borrowed_ = 0;
};

}  // namespace bellows::http
