// Blocks of memory for messages in flight. A connection borrows one when bytes arrive and gives it
// back when it is idle, latest first, so that a busy thread works in a few warm blocks.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace bellows::http {

class BufferPool;

/// A borrowed block, or none. Pages of it that are never written cost no memory.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Block& operator=(Block&& other) noexcept;
  ~Block() { give_back(); }

  explicit operator bool() const { return data_ != nullptr; }
  char* data() const { return data_; }
  std::size_t size() const { return size_; }
  void give_back();

 private:
  friend class BufferPool;
  Block(BufferPool* pool, char* data, std::size_t size) : pool_(pool), data_(data), size_(size) {}

  BufferPool* pool_ = nullptr;
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Blocks of kHead are cut out of larger pieces: a piece of memory of its own has its allocator's
/// words in the page before it, and a held request would cost that page too. Address space for the
/// most blocks that were ever borrowed at once stays; the memory behind those that nobody needs
/// goes back to the system. Thread: the io thread. Outlives its blocks.
class BufferPool {
 public:
  static constexpr std::size_t kPage = 4096;       ///< blocks begin on one
  static constexpr std::size_t kHead = 16 * 1024;  ///< a head and, mostly, its whole message
  static constexpr std::size_t kBody = 64 * 1024;  ///< for the rest of a body
  /// Free blocks whose memory is kept; of heads also twice as many as are borrowed.
  static constexpr std::size_t kKeptHeads = 64;
  static constexpr std::size_t kKeptBodies = 16;

  BufferPool() = default;
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// At least `size` bytes: kHead, kBody, or beyond that a block of its own.
  Block take(std::size_t size);
  std::size_t borrowed() const { return borrowed_; }
  /// Free heads whose memory is still there.
  std::size_t warm() const { return warm_heads_.size(); }

 private:
  friend class Block;
  char* take_head();
  char* take_body();
  void give_back(char* data, std::size_t size);
  void cool_down();

  std::vector<char*> slabs_;       // of kSlab bytes each
  std::deque<char*> warm_heads_;   // the last one was given back last
  std::vector<char*> cold_heads_;  // without memory
  std::vector<char*> bodies_;
  std::size_t borrowed_heads_ = 0;
  std::size_t borrowed_ = 0;
};

}  // namespace bellows::http
