#include "proxy/io/response_reader.hpp"

#include <cstring>
#include <utility>

#include "http/core/normalize.hpp"

namespace bellows::proxy {

namespace {

bool is_repairable(http::HeadFault fault) {
  return fault == http::HeadFault::kObsoleteFolding || fault == http::HeadFault::kSpaceBeforeColon;
}

}  // namespace

http::IoResult ResponseReader::read() {
  if (!block_) block_ = http::head_block(reactor_.buffers(), from_);
  if (used_ == block_.size()) grow_block();
  const http::IoResult step = from_.try_read(block_.data() + used_, block_.size() - used_);
  used_ += step.bytes;
  bytes_ += step.bytes;
  return step;
}

void ResponseReader::grow_block() {
  const bool is_exact = block_.size() < http::BufferPool::kHead;
  http::Block larger =
      reactor_.buffers().acquire(is_exact ? http::BufferPool::kHead : block_.size() * 4);
  std::memcpy(larger.data(), block_.data(), used_);
  block_ = std::move(larger);
}

ResponseReader::Next ResponseReader::next() {
  const std::string_view text(block_.data(), used_);
  if (from_.is_stream() && from_.take_head(text, limits_, head_)) return Next::kFinal;
  for (;;) {
    const http::HeadResult result = parser_.read(text, head_);
    if (result.is_complete()) return head_.is_interim() ? Next::kInterim : Next::kFinal;
    if (!result.is_fault()) return Next::kIncomplete;
    fault_ = *result.fault();
    if (!is_repairable(fault_) || !http::normalize_response_head({block_.data(), used_})) {
      return Next::kFault;
    }
    parser_.reset();
  }
}

void ResponseReader::drop_head() {
  used_ -= head_.size;
  std::memmove(block_.data(), block_.data() + head_.size, used_);
  parser_.reset();
}

}  // namespace bellows::proxy
