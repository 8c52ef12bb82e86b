// The bytes that were read from a downstream connection and not consumed yet. It owns a block of
// memory only while it is not empty.
#pragma once

#include <string_view>

#include "http/io/connection.hpp"

namespace bellows::proxy {

/// Owner: a session. Thread: the io thread.
class InputBuffer {
 public:
  explicit InputBuffer(http::BufferPool& pool) : pool_(pool) {}

  std::string_view view() const { return {block_.data() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  /// Returns the memory that it takes, in whole pages, because pages of a block that were never
  /// written are not resident. A message in an exact block counts as one page, because the rest of
  /// its request takes as much.
  std::size_t held_bytes() const {
    return (end_ + http::BufferPool::kPage - 1) / http::BufferPool::kPage * http::BufferPool::kPage;
  }

  /// Reads once and appends. Invalidates views, because the bytes may move.
  http::IoResult fill(http::Connection& from);

  /// Returns true if the next fill() appends in place, so that views stay valid.
  bool has_room() const { return end_ < block_.size(); }

  /// Drops the first bytes.
  void consume(std::size_t bytes);
  /// Replaces the content by a copy of `bytes`, which may be a part of it.
  void assign(std::string_view bytes);
  void clear();
  /// Moves the bytes to a block of exactly their size, unless they are many.
  void pack();

 private:
  bool is_exact() const { return block_.size() < http::BufferPool::kHead; }
  void make_room(const http::Connection& from);

  http::BufferPool& pool_;
  http::Block block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace bellows::proxy
