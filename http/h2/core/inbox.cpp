#include "http/h2/core/inbox.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace bellows::http2 {

namespace {

// Size of a chunk's framing: hexadecimal digits and CRLF before its data, CRLF after them.
constexpr std::size_t kMaxChunkHead = 10;
constexpr std::size_t kChunkTail = 2;
// Minimum space at the reader for a chunk to be made there.
constexpr std::size_t kLeastSpace = 64;

std::size_t write_chunk_head(std::size_t bytes, char* to) {
  std::array<char, kMaxChunkHead> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), bytes, 16).ptr;
  const auto size = static_cast<std::size_t>(end - digits.data());
  std::memcpy(to, digits.data(), size);
  std::memcpy(to + size, "\r\n", 2);
  return size + 2;
}

}  // namespace

void Inbox::add_head(std::string_view text, const HeadFacts& facts, bool has_body) {
  text_.append(text);
  has_head_ = true;
  left_ = has_body ? facts.content_length.value_or(0) : 0;
  if (facts.is_tunnel) {
    framing_ = Framing::kRaw;
  } else if (!has_body) {
    framing_ = Framing::kNone;
  } else if (facts.is_chunked) {
    framing_ = Framing::kChunked;
  } else {
    framing_ = facts.content_length ? Framing::kLength : Framing::kNone;
  }
}

std::optional<MessageFault> Inbox::add_data(std::string_view data) {
  if (framing_ == Framing::kNone && !data.empty()) return MessageFault::kLengthDiffers;
  if (framing_ == Framing::kLength) {
    if (data.size() > left_) return MessageFault::kLengthDiffers;
    left_ -= data.size();
  }
  data_.append(data);
  return std::nullopt;
}

std::optional<MessageFault> Inbox::end(std::string_view trailers) {
  if (framing_ == Framing::kLength && left_ > 0) return MessageFault::kLengthDiffers;
  has_ended_ = true;
  // A body with a length cannot carry trailers; RFC 9110 6.5.1 has them dropped.
  if (framing_ == Framing::kChunked) trailers_ = trailers;
  return std::nullopt;
}

bool Inbox::has_text() const {
  if (!text_.empty()) return true;
  if (!data_.empty()) return may_read_data();
  return framing_ == Framing::kChunked && has_ended_ && !has_written_end_;
}

std::size_t Inbox::rest() const {
  if (!has_ended_) return 0;
  const std::size_t bytes = text_.size() + data_.size();
  if (framing_ != Framing::kChunked) return bytes;
  // The rest is one chunk, for which there is room then, and the last one.
  return bytes + kLeastSpace + kMaxChunkHead + trailers_.size();
}

std::size_t Inbox::most_unread(std::size_t window) const {
  const bool has_more = !has_ended_ && framing_ != Framing::kNone;
  if (!has_more) return data_.size();
  if (framing_ != Framing::kLength) return window;
  return static_cast<std::size_t>(std::min<std::uint64_t>(window, data_.size() + left_));
}

std::size_t Inbox::read(char* to, std::size_t size) {
  std::size_t moved = 0;
  while (moved < size) {
    if (!text_.empty()) {
      const std::size_t part = std::min(size - moved, text_.size());
      std::memcpy(to + moved, text_.view().data(), part);
      moved += part;
      text_.consume(part);  // a held request keeps no copy of its head here
    } else if (!data_.empty() && may_read_data()) {
      const std::size_t part = read_data(to + moved, size - moved);
      if (part == 0 && text_.empty()) break;
      moved += part;
    } else if (framing_ == Framing::kChunked && has_ended_ && !has_written_end_) {
      has_written_end_ = true;
      text_.append("0\r\n");
      text_.append(std::exchange(trailers_, {}));
      text_.append("\r\n");
    } else {
      break;
    }
  }
  return moved;
}

/// Returns 0 after a chunk was put into text_, because the reader has little room.
std::size_t Inbox::read_data(char* to, std::size_t size) {
  if (framing_ != Framing::kChunked) {
    const std::size_t part = std::min(size, data_.size());
    std::memcpy(to, data_.view().data(), part);
    data_.consume(part);
    read_data_ += static_cast<std::uint32_t>(part);
    return part;
  }
  if (size < kLeastSpace) {
    make_chunk(kLeastSpace);
    return 0;
  }
  const std::size_t part = std::min(size - kMaxChunkHead - kChunkTail, data_.size());
  const std::size_t head = write_chunk_head(part, to);
  std::memcpy(to + head, data_.view().data(), part);
  std::memcpy(to + head + part, "\r\n", kChunkTail);
  data_.consume(part);
  read_data_ += static_cast<std::uint32_t>(part);
  return head + part + kChunkTail;
}

void Inbox::make_chunk(std::size_t most) {
  const std::size_t part = std::min(most, data_.size());
  std::array<char, kMaxChunkHead> head{};
  text_.append({head.data(), write_chunk_head(part, head.data())});
  text_.append(data_.view().substr(0, part));
  text_.append("\r\n");
  data_.consume(part);
  read_data_ += static_cast<std::uint32_t>(part);
}

std::size_t Inbox::take_read_data() {
  return std::exchange(read_data_, 0);
}

void Inbox::clear() {
  text_.clear();
  std::string().swap(trailers_);
  data_.clear();
  framing_ = Framing::kNone;
  has_ended_ = true;
}

}  // namespace bellows::http2
