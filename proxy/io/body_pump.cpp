#include "proxy/io/body_pump.hpp"

#include <algorithm>
#include <cstring>

namespace bellows::proxy {

namespace {

// Bytes of one body that are transferred in a row before other sessions get their turn: about a
// millisecond.
constexpr std::size_t kQuantum = std::size_t{512} * 1024;

// Framing of a chunk: its size in hexadecimal digits and CRLF before the data, CRLF after them.
constexpr std::size_t kMaxChunkHead = 10;
constexpr std::size_t kChunkTail = 2;

}  // namespace

BodyPump::Status BodyPump::begin(http::BodyFraming framing, std::string_view first) {
  framing_ = framing;
  left_ = framing.length;
  is_read_ = framing.end == http::BodyEnd::kNone;
  take_as_is(first);
  return chunks_.is_broken() ? Status::kMalformed : Status::kMoving;
}

BodyPump::Status BodyPump::begin(http::BodyFraming framing, BodyCoding coding,
                                 std::span<char> first) {
  coding_ = coding;
  if (coding == BodyCoding::kAsIs) return begin(framing, {first.data(), first.size()});
  framing_ = framing;
  is_read_ = false;
  if (coding == BodyCoding::kUnchunked) {
    take_unchunked(first);
  } else if (!first.empty()) {
    copy_as_chunk({first.data(), first.size()});
  }
  return chunks_.is_broken() ? Status::kMalformed : Status::kMoving;
}

void BodyPump::copy_as_chunk(std::string_view first) {
  const std::size_t size = first.size() + kMaxChunkHead + kChunkTail;
  block_ = reactor_.buffers().acquire(std::max(size, http::BufferPool::kBody));
  std::memcpy(block_.data() + kMaxChunkHead, first.data(), first.size());
  take_as_chunk(first.size());
}

/// Makes a chunk of `bytes` of data in the block, after the space for the chunk's size.
void BodyPump::take_as_chunk(std::size_t bytes) {
  char* const data = block_.data() + kMaxChunkHead;
  if (messages_ != nullptr) messages_->feed({data, bytes});
  std::memcpy(data + bytes, "\r\n", kChunkTail);
  char* begin = data - 2;
  std::memcpy(begin, "\r\n", 2);
  for (std::size_t rest = bytes; rest != 0; rest /= 16) *--begin = "0123456789abcdef"[rest % 16];
  unsent_ = {begin, static_cast<std::size_t>(data + bytes + kChunkTail - begin)};
  chunk_data_bytes_ = bytes;
  bytes_ += bytes;
}

void BodyPump::take_unchunked(std::span<char> bytes) {
  std::string_view rest(bytes.data(), bytes.size());
  std::size_t data_bytes = 0;
  while (!rest.empty() && !chunks_.is_complete() && !chunks_.is_broken()) {
    const std::string_view data = chunks_.next_data(rest);
    if (data.empty()) continue;
    std::memmove(bytes.data() + data_bytes, data.data(), data.size());
    data_bytes += data.size();
  }
  is_read_ = chunks_.is_complete();
  unsent_ = {bytes.data(), data_bytes};
  read_ahead_ = rest;
  bytes_ += data_bytes;
}

void BodyPump::take_as_is(std::string_view bytes) {
  if (framing_.end == http::BodyEnd::kChunked) return take_chunked(bytes);
  std::size_t of_body = 0;
  switch (framing_.end) {
    case http::BodyEnd::kNone:
    case http::BodyEnd::kChunked:
      break;
    case http::BodyEnd::kLength:
      of_body = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      left_ -= of_body;
      is_read_ = left_ == 0;
      break;
    case http::BodyEnd::kClose:
      of_body = bytes.size();
      break;
  }
  unsent_ = bytes.substr(0, of_body);
  read_ahead_ = bytes.substr(of_body);
  bytes_ += of_body;
}

/// Sends the bytes in place, as received, in the usual case. Other bytes are rewritten.
void BodyPump::take_chunked(std::string_view bytes) {
  const http::ChunkScanner before = chunks_;
  const std::size_t of_body = scan_chunks(bytes);
  unsent_ = bytes.substr(0, of_body);
  if (!chunks_.was_canonical() && !chunks_.is_broken()) {
    chunks_ = before;
    canonical_.clear();
    chunks_.feed(bytes, canonical_);
    unsent_ = canonical_;
  }
  is_read_ = chunks_.is_complete();
  read_ahead_ = bytes.substr(of_body);
  bytes_ += of_body;
}

std::size_t BodyPump::scan_chunks(std::string_view bytes) {
  if (messages_ == nullptr) return chunks_.feed(bytes);
  return chunks_.feed(bytes, [this](std::string_view data) { messages_->feed(data); });
}

bool BodyPump::is_between_messages() const {
  if (messages_ == nullptr || is_read_ || !messages_->is_at_boundary()) return false;
  if (coding_ == BodyCoding::kChunked) return true;
  return coding_ == BodyCoding::kAsIs && chunks_.is_between_chunks() &&
         framing_.end == http::BodyEnd::kChunked;
}

void BodyPump::take(std::span<char> bytes) {
  switch (coding_) {
    case BodyCoding::kAsIs:
      return take_as_is({bytes.data(), bytes.size()});
    case BodyCoding::kUnchunked:
      return take_unchunked(bytes);
    case BodyCoding::kChunked:
      return take_as_chunk(bytes.size());
  }
}

BodyPump::Status BodyPump::step(http::Connection& from, http::Connection& to) {
  using Kind = http::IoResult::Kind;
  for (std::size_t moved = 0; moved < kQuantum;) {
    if (!unsent_.empty()) {
      const http::IoResult sent = to.try_write(unsent_);
      if (sent.kind == Kind::kFailed) return Status::kSinkFailed;
      if (sent.kind == Kind::kWouldBlock) return Status::kMoving;
      note_sent(sent.bytes);
      moved += sent.bytes;
      continue;
    }
    if (is_read_) return complete();
    if (const Status status = pull(from); status != Status::kBusy) return status;
  }
  return is_complete() ? complete() : Status::kBusy;
}

/// Releases the block, unless it has the next request, because a request may wait long for its
/// response.
BodyPump::Status BodyPump::complete() {
  if (read_ahead_.empty()) block_.release();
  return Status::kComplete;
}

/// Reads from the sender. Returns kBusy if there is something to send, or at the end.
BodyPump::Status BodyPump::pull(http::Connection& from) {
  if (!from.is_readable()) {
    block_.release();
    return Status::kMoving;
  }
  if (!block_) block_ = reactor_.buffers().acquire(http::BufferPool::kBody);
  const std::span<char> space = read_space();
  const http::IoResult got = from.try_read(space.data(), space.size());
  switch (got.kind) {
    case http::IoResult::Kind::kBytes:
      if (kept_ != nullptr) kept_->add({space.data(), got.bytes});
      take(space.first(got.bytes));
      return chunks_.is_broken() ? Status::kMalformed : Status::kBusy;
    case http::IoResult::Kind::kWouldBlock:
      block_.release();
      return Status::kMoving;
    case http::IoResult::Kind::kFailed:
      return Status::kSourceFailed;
    case http::IoResult::Kind::kEnd:
      break;
  }
  return end_of_source();
}

BodyPump::Status BodyPump::end_of_source() {
  if (framing_.end != http::BodyEnd::kClose) return Status::kSourceEnded;
  is_read_ = true;
  if (coding_ == BodyCoding::kChunked) unsent_ = "0\r\n\r\n";
  chunk_data_bytes_ = 0;
  return Status::kBusy;
}

std::span<char> BodyPump::read_space() {
  const std::span<char> block(block_.data(), block_.size());
  if (coding_ == BodyCoding::kChunked) {
    return block.subspan(kMaxChunkHead, block.size() - kMaxChunkHead - kChunkTail);
  }
  if (framing_.end != http::BodyEnd::kLength) return block;
  // A body with a length is never read beyond its end, because the next message follows.
  return block.first(static_cast<std::size_t>(std::min<std::uint64_t>(left_, block.size())));
}

}  // namespace bellows::proxy
