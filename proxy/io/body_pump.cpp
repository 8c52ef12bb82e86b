#include "proxy/io/body_pump.hpp"

#include <algorithm>
#include <cstring>

namespace bellows::proxy {

namespace {

// Of one body in a row before other connections get their turn: about a millisecond.
constexpr std::size_t kQuantum = std::size_t{512} * 1024;

// Around the data of a chunk that we make: its size in hexadecimal digits, CRLF; CRLF.
constexpr std::size_t kInFront = 10;
constexpr std::size_t kBehind = 2;

}  // namespace

BodyPump::Status BodyPump::begin(http::BodyFraming framing, std::string_view first) {
  framing_ = framing;
  left_ = framing.length;
  is_read_ = framing.end == http::BodyEnd::kNone;
  take(first);
  return chunks_.is_broken() ? Status::kMalformed : Status::kMoving;
}

BodyPump::Status BodyPump::begin_unchunked(std::span<char> first) {
  framing_ = {http::BodyEnd::kChunked};
  unchunks_ = true;
  is_read_ = false;
  take_data(first);
  return chunks_.is_broken() ? Status::kMalformed : Status::kMoving;
}

BodyPump::Status BodyPump::begin_in_chunks(std::string_view first) {
  framing_ = {http::BodyEnd::kClose};
  makes_chunks_ = true;
  is_read_ = false;
  if (first.empty()) return Status::kMoving;
  const std::size_t size = first.size() + kInFront + kBehind;
  block_ = reactor_.buffers().take(std::max(size, http::BufferPool::kBody));
  std::memcpy(block_.data() + kInFront, first.data(), first.size());
  take_as_chunk(first.size());
  return Status::kMoving;
}

/// `bytes` of data lie in the block, behind the room for their size.
void BodyPump::take_as_chunk(std::size_t bytes) {
  char* const data = block_.data() + kInFront;
  std::memcpy(data + bytes, "\r\n", kBehind);
  char* begin = data - 2;
  std::memcpy(begin, "\r\n", 2);
  for (std::size_t rest = bytes; rest != 0; rest /= 16) *--begin = "0123456789abcdef"[rest % 16];
  unsent_ = {begin, static_cast<std::size_t>(data + bytes + kBehind - begin)};
  data_in_block_ = bytes;
  bytes_ += bytes;
}

void BodyPump::take_data(std::span<char> bytes) {
  std::string_view rest(bytes.data(), bytes.size());
  std::size_t kept = 0;
  while (!rest.empty() && !chunks_.is_complete() && !chunks_.is_broken()) {
    const std::string_view data = chunks_.next_data(rest);
    if (data.empty()) continue;
    std::memmove(bytes.data() + kept, data.data(), data.size());
    kept += data.size();
  }
  is_read_ = chunks_.is_complete();
  unsent_ = {bytes.data(), kept};
  surplus_ = rest;
  bytes_ += kept;
}

void BodyPump::take(std::string_view bytes) {
  std::size_t ours = 0;
  switch (framing_.end) {
    case http::BodyEnd::kNone:
      break;
    case http::BodyEnd::kLength:
      ours = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      left_ -= ours;
      is_read_ = left_ == 0;
      break;
    case http::BodyEnd::kChunked:
      ours = chunks_.feed(bytes);
      is_read_ = chunks_.is_complete();
      break;
    case http::BodyEnd::kClose:
      ours = bytes.size();
      break;
  }
  unsent_ = bytes.substr(0, ours);
  surplus_ = bytes.substr(ours);
  bytes_ += ours;
}

BodyPump::Status BodyPump::step(http::Connection& from, http::Connection& to) {
  using Kind = http::IoStep::Kind;
  for (std::size_t moved = 0; moved < kQuantum;) {
    if (!unsent_.empty()) {
      const http::IoStep sent = to.try_write(unsent_);
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

/// An upload may wait long for its answer, without memory unless the next request is in it.
BodyPump::Status BodyPump::complete() {
  if (surplus_.empty()) block_.give_back();
  return Status::kComplete;
}

/// kBusy: there is something to send, or the end has been found.
BodyPump::Status BodyPump::pull(http::Connection& from) {
  if (!from.is_readable()) {
    block_.give_back();
    return Status::kMoving;
  }
  if (!block_) block_ = reactor_.buffers().take(http::BufferPool::kBody);
  const http::IoStep got =
      makes_chunks_ ? from.try_read(block_.data() + kInFront, block_.size() - kInFront - kBehind)
                    : from.try_read(block_.data(), read_size());
  switch (got.kind) {
    case http::IoStep::Kind::kBytes:
      has_pulled_ = true;
      if (makes_chunks_) {
        take_as_chunk(got.bytes);
      } else if (unchunks_) {
        take_data({block_.data(), got.bytes});
      } else {
        take({block_.data(), got.bytes});
      }
      return chunks_.is_broken() ? Status::kMalformed : Status::kBusy;
    case http::IoStep::Kind::kWouldBlock:
      block_.give_back();
      return Status::kMoving;
    case http::IoStep::Kind::kFailed:
      return Status::kSourceFailed;
    case http::IoStep::Kind::kEnd:
      break;
  }
  if (framing_.end != http::BodyEnd::kClose) return Status::kSourceEnded;
  is_read_ = true;
  if (makes_chunks_) unsent_ = "0\r\n\r\n";
  data_in_block_ = 0;
  return Status::kBusy;
}

std::size_t BodyPump::read_size() const {
  // Never beyond a known length: what follows is the next message.
  if (framing_.end != http::BodyEnd::kLength) return block_.size();
  return static_cast<std::size_t>(std::min<std::uint64_t>(left_, block_.size()));
}

}  // namespace bellows::proxy
