// What has been read from a downstream connection and not used up yet. Owns a block of memory only
// while there is something in it.
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
  /// Memory it takes: whole pages, since those of a block that are never written are not there.
  std::size_t held_bytes() const {
    return (end_ + http::BufferPool::kPage - 1) / http::BufferPool::kPage * http::BufferPool::kPage;
  }

  /// Reads what is there, behind what it has. The bytes may move: views are void after it.
  http::IoStep fill(http::Connection& from);

  /// Drops the first bytes.
  void consume(std::size_t bytes);
  /// Replaces everything by a copy of `bytes`, which may lie in it.
  void assign(std::string_view bytes);
  void clear();

 private:
  void make_room();

  http::BufferPool& pool_;
  http::Block block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace bellows::proxy
