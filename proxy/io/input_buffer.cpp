#include "proxy/io/input_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace bellows::proxy {

http::IoResult InputBuffer::fill(http::Connection& from) {
  if (!from.is_readable()) return {};
  make_room(from);
  const http::IoResult step = from.try_read(block_.data() + end_, block_.size() - end_);
  if (step.kind == http::IoResult::Kind::kBytes) end_ += step.bytes;
  if (empty()) clear();
  return step;
}

void InputBuffer::make_room(const http::Connection& from) {
  if (!block_) block_ = http::head_block(pool_, from);
  if (end_ < block_.size()) return;
  if (begin_ > 0 && !is_exact()) {
    std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
  } else {
    http::Block larger = pool_.acquire(is_exact() ? http::BufferPool::kHead : block_.size() * 4);
    std::memcpy(larger.data(), block_.data() + begin_, end_ - begin_);
    block_ = std::move(larger);
  }
  end_ -= begin_;
  begin_ = 0;
}

void InputBuffer::consume(std::size_t bytes) {
  begin_ += bytes;
  if (begin_ == end_) clear();
}

void InputBuffer::assign(std::string_view bytes) {
  if (bytes.empty()) return clear();
  http::Block block = pool_.acquire(std::max(bytes.size(), http::BufferPool::kHead));
  std::memcpy(block.data(), bytes.data(), bytes.size());
  block_ = std::move(block);
  begin_ = 0;
  end_ = bytes.size();
}

void InputBuffer::pack() {
  const std::size_t size = end_ - begin_;
  if (is_exact() || empty() || size >= http::BufferPool::kHead) return;
  http::Block packed = pool_.acquire_exact(size);
  std::memcpy(packed.data(), block_.data() + begin_, size);
  block_ = std::move(packed);
  begin_ = 0;
  end_ = size;
}

void InputBuffer::clear() {
  block_.release();
  begin_ = end_ = 0;
}

}  // namespace bellows::proxy
