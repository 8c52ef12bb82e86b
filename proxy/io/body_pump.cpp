#include "proxy/io/body_pump.hpp"

#include <algorithm>
#include <cstring>

namespace bellows::proxy {

namespace {

// Of one body in a row before other connections get their turn: about a millisecond.
constexpr std::size_t kQuantum = std::size_t{512} * 1024;

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

void BodyPump::take_data(std::span<char> bytes) {
  std::string_view rest(bytes.data(), bytes.size());
  std::size_t kept = 0;
  while (!rest.empty() && !chunks_.is_complete() && !chunks_.is_broken()) {
    const std::string_view data = chunks_.next_data(rest);
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
  const http::IoStep got = from.try_read(block_.data(), read_size());
  switch (got.kind) {
    case http::IoStep::Kind::kBytes:
      has_pulled_ = true;
      if (unchunks_) {
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
  return Status::kBusy;
}

std::size_t BodyPump::read_size() const {
  // Never beyond a known length: what follows is the next message.
  if (framing_.end != http::BodyEnd::kLength) return block_.size();
  return static_cast<std::size_t>(std::min<std::uint64_t>(left_, block_.size()));
}

}  // namespace bellows::proxy
