#include "proxy/io/message_sender.hpp"

#include <algorithm>

namespace bellows::proxy {

bool MessageSender::flush_head() {
  if (!pending_head_.empty() && !is_broken()) {
    const Both both(pending_head_, body_.unsent());
    pending_head_.erase(0, note_written(pending_head_, to_.try_write(both.parts, both.count)));
  }
  return pending_head_.empty() && !is_broken();
}

std::size_t MessageSender::note_written(std::string_view head, const http::IoResult& step) {
  if (step.kind == http::IoResult::Kind::kFailed) mark_broken();
  if (step.kind != http::IoResult::Kind::kBytes) return 0;
  const std::size_t head_bytes = std::min(step.bytes, head.size());
  body_.note_sent(step.bytes - head_bytes);
  has_sent_ = true;
  return head_bytes;
}

}  // namespace bellows::proxy
