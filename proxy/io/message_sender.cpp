#include "proxy/io/message_sender.hpp"

#include <algorithm>

namespace bellows::proxy {

void MessageSender::send_head(std::string_view head) {
  pending_head_.assign(head.substr(write_together(head)));
}

bool MessageSender::flush_head() {
  if (!pending_head_.empty() && !is_broken()) pending_head_.erase(0, write_together(pending_head_));
  return pending_head_.empty() && !is_broken();
}

std::size_t MessageSender::write_together(std::string_view head) {
  const std::string_view unsent = body_.unsent();
  const iovec parts[2] = {{const_cast<char*>(head.data()), head.size()},       // NOLINT: only read
                          {const_cast<char*>(unsent.data()), unsent.size()}};  // NOLINT: only read
  const http::IoResult step = to_.try_write(parts, unsent.empty() ? 1 : 2);
  if (step.kind == http::IoResult::Kind::kFailed) mark_broken();
  if (step.kind != http::IoResult::Kind::kBytes) return 0;
  const std::size_t head_bytes = std::min(step.bytes, head.size());
  body_.note_sent(step.bytes - head_bytes);
  has_sent_ = true;
  return head_bytes;
}

}  // namespace bellows::proxy
