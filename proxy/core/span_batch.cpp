#include "proxy/core/span_batch.hpp"

#include <utility>

namespace bellows::proxy {

bool SpanBatch::add(std::string_view span) {
  if (count_ >= kMaxSpans || text_.size() + span.size() >= kMaxBytes) {
    ++dropped_;
    return false;
  }
  if (count_ > 0) text_ += ',';
  text_ += span;
  ++count_;
  return true;
}

SpansTaken SpanBatch::take() {
  return {std::exchange(text_, {}), std::exchange(count_, 0)};
}

}  // namespace bellows::proxy
