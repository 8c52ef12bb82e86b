// Handles events of frames, limits of their rates, and deadlines.
#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "base/sys/entropy.hpp"
#include "base/sys/log.hpp"
#include "http/h2/core/websocket_key.hpp"
#include "http/h2/io/multiplexer.hpp"

namespace bellows::http2 {

namespace {

// A field list this many times larger than its limit is an attack, because HPACK expands few bytes
// to many.
constexpr std::uint32_t kFarTooLarge = 8;
// Cost of a frame in a turn, in addition to one per byte of fields.
constexpr std::size_t kFrameCost = 256;
// A window update smaller than this costs more than it gives.
constexpr std::uint32_t kSmallUpdate = 1024;

TimePoint after(TimePoint from, Duration time) {
  return from == TimePoint::max() ? from : from + time;
}

std::string detail_of(MessageFault fault) {
  return std::string(fault_text(fault)).append(", ").append(fault_section(fault));
}

Random& key_source() {
  static SeededRandom random(sys::random_seed());
  return random;
}

}  // namespace

Stream* Multiplexer::on_head_begins(std::int32_t id, Stream* stream) {
  using enum FieldBlock::Kind;
  continuations_ = 0;
  turn_cost_ += kFrameCost;
  earned_.note_message_frame();
  block_began_ = reactor_.turn_began();
  // A stream above the last GOAWAY's is not begun: the peer sends it again on another connection.
  const bool begins = stream == nullptr && options_.is_server && id <= last_taken_;
  if (begins) stream = &streams_.add(*this, true, id);
  if (stream == nullptr || stream->has_head()) {
    block_.begin(kTrailers);
  } else {
    block_.begin(options_.is_server ? kRequest : kResponse);
  }
  return stream;
}

void Multiplexer::on_field(std::string_view name, std::string_view value) {
  turn_cost_ += name.size() + value.size();
  block_.add(name, value);
  if (block_.is_over(kFarTooLarge)) punish(Abuse::kHeaderBlock);
}

void Multiplexer::on_bad_field(bool is_name) {
  block_.reject(is_name ? MessageFault::kBadNameByte : MessageFault::kBadValueByte);
}

void Multiplexer::on_head_ends(Stream* stream, bool ends) {
  block_began_ = TimePoint::max();
  if (stream == nullptr) return;
  if (stream->discards_input()) {
    if (ends) stream->end_came({});
    return;
  }
  if (const auto fault = finish_head(*stream, ends)) {
    reject(*stream, *fault);
    if (ends) stream->end_came({});
  }
}

std::optional<MessageFault> Multiplexer::finish_head(Stream& stream, bool ends) {
  if (stream.has_head()) {
    if (const auto fault = block_.end_trailers(ends)) return fault;
    return stream.end_came(block_.text());
  }
  if (options_.is_server) {
    const std::string key = block_.asks_for_tunnel() ? make_websocket_key(key_source()) : "";
    if (const auto fault = block_.end_request(ends, key)) return fault;
    ready_.push_back(stream.handle());
    return stream.head_came(block_, ends);
  }
  if (const auto fault = block_.end_response(ends, stream.response_to())) return fault;
  if (block_.facts().status >= 200) return stream.head_came(block_, ends);
  return stream.interim_came(block_.text());
}

/// Rejects a message; the owner of the stream sees a reset.
void Multiplexer::reject(Stream& stream, MessageFault fault) {
  last_fault_ = fault;
  std::erase(ready_, stream.handle());
  stream.reject_input();
  const bool is_unseen = options_.is_server && !stream.is_connected();
  if (fault == MessageFault::kTooLarge) {
    tell(Abuse::kLargeHead, detail_of(fault));
    if (options_.is_server) meter_large_head();
  }
  if (is_unseen && fault_status(fault) != 0) {
    stream.submit_status(fault_status(fault));
  } else {
    frames_.reset(stream.id(), code_of(ErrorCode::kProtocolError));
  }
}

/// Meters large heads, because decoding one costs as much as a reset, in multiples of the limit.
void Multiplexer::meter_large_head() {
  for (std::uint32_t times = 1; times == 1 || block_.is_over(times); ++times) {
    meter(Abuse::kCausedResets);
  }
}

void Multiplexer::on_data(Stream* stream, std::int32_t id, std::string_view data) {
  // Unread data of one stream must not block the others; its own window bounds it.
  frames_.consume_connection(data.size());
  if (stream == nullptr || stream->discards_input()) {
    frames_.consume_stream(id, data.size());
    return;
  }
  if (const auto fault = stream->data_came(data)) reject(*stream, *fault);
}

void Multiplexer::on_data_ends(Stream* stream, std::size_t bytes, bool ends) {
  turn_cost_ += kFrameCost;
  if (bytes > 0) earned_.note_message_frame();
  if (bytes == 0 && !ends) meter(Abuse::kEmptyData);
  if (stream == nullptr || !ends) return;
  if (const auto fault = stream->end_came({})) reject(*stream, *fault);
}

void Multiplexer::on_frame(FrameKind kind, std::uint32_t value) {
  turn_cost_ += kFrameCost;
  switch (kind) {
    case FrameKind::kContinuation:
      if (++continuations_ > limits_.continuations) punish(Abuse::kContinuations);
      return;
    case FrameKind::kSettings:
      meter(Abuse::kSettings);
      has_settings_ = true;
      streams_.for_each([](Stream& stream) { stream.settings_came(); });
      return tell_change();
    case FrameKind::kPing:
      if (!earned_.take_ping()) meter(Abuse::kPings);
      return;
    case FrameKind::kPingAck:
      return finish_drain();
    case FrameKind::kPriority:
      return meter(Abuse::kPriorities);
    case FrameKind::kWindowUpdate:
      if (value < kSmallUpdate && !earned_.take_update()) meter(Abuse::kWindowUpdates);
      return;
    case FrameKind::kReset:
      if (options_.is_server) meter(Abuse::kPeerResets);
      return;
    case FrameKind::kGoaway:
      has_goaway_ = true;
      end_code_ = value;
      end_reason_ = "GOAWAY with " + error_code_text(value);
      return tell_change();
    case FrameKind::kUnknown:
      return meter(Abuse::kUnknownFrames);
    case FrameKind::kHeaders:
    case FrameKind::kData:
      return;
  }
}

void Multiplexer::on_headers_frame(std::int32_t id) {
  if (options_.is_server && !ids_.note(id)) fail_protocol("a stream below a later one begins");
}

/// Drops a stream that has not become a request, because it would be forwarded and reset at once.
void Multiplexer::on_bad_frame(Stream* stream) {
  if (std::erase(ready_, stream->handle()) > 0) stream->reject_input();
}

void Multiplexer::on_closed(Stream* stream, std::uint32_t code) {
  stream->closed_on_wire(code, code != code_of(ErrorCode::kRefusedStream));
  drop_if_done(*stream);
}

void Multiplexer::on_sent(FrameKind kind, Stream* stream, std::uint32_t value, bool ends) {
  if (kind == FrameKind::kHeaders && stream != nullptr) stream->note_head_sent();
  if (ends && stream != nullptr) stream->note_end_sent();
  if (kind == FrameKind::kHeaders || kind == FrameKind::kData) earned_.note_message_frame();
  if (kind == FrameKind::kGoaway && value != 0 && !is_punished_) {
    end_code_ = value;
    end_reason_ = "ended with " + error_code_text(value);
    note_violation();
    tell(Abuse::kProtocolError, error_code_text(value));
  }
  if (kind != FrameKind::kReset || (stream != nullptr && stream->is_own_reset())) return;
  if (value == code_of(ErrorCode::kProtocolError)) {
    const auto fault = std::exchange(last_fault_, std::nullopt);
    tell(Abuse::kMalformed, fault ? detail_of(*fault) : "a message that RFC 9113 8 forbids");
  }
  if (options_.is_server) meter(Abuse::kCausedResets);
}

void Multiplexer::meter(Abuse kind) {
  if (meter_.note(kind, now())) punish(kind);
}

/// Ends the connection because of the abuse.
void Multiplexer::punish(Abuse abuse) {
  if (is_punished_ || state_ != State::kOpen) return;
  is_punished_ = true;
  tell(abuse, "");
  end_code_ = code_of(ErrorCode::kEnhanceYourCalm);
  end_reason_ = "ended for " + std::string(abuse_name(abuse));
  terminate(ErrorCode::kEnhanceYourCalm);
  flush_soon();
}

void Multiplexer::tell(Abuse abuse, std::string_view detail) {
  const auto count = counters_.note(abuse, now());
  if (!count) return;
  sys::log::warning("a peer violates or overuses HTTP/2", {{"peer", options_.peer},
                                                           {"reason", abuse_name(abuse)},
                                                           {"detail", detail},
                                                           {"count", *count}});
}

TimePoint Multiplexer::next_deadline() const {
  if (state_ == State::kLingering) return linger_ends_;
  TimePoint next = std::min(drain_ends_, after(stalled_since_, limits_.stall_time));
  next = std::min(next, after(block_began_, limits_.head_time));
  if (!has_settings_) next = std::min(next, began_ + limits_.head_time);
  if (orphans_ > 0) next = std::min(next, now() + limits_.unread_time / 4);
  const bool is_unused = options_.is_server && streams_.is_empty() && drain_ == Drain::kNo;
  return is_unused ? std::min(next, idle_since_ + limits_.idle_time) : next;
}

void Multiplexer::check_deadlines() {
  const TimePoint now = this->now();
  if (state_ == State::kLingering && now >= linger_ends_) return end(end_reason_);
  if (state_ != State::kOpen) return;
  if (now >= after(stalled_since_, limits_.stall_time)) {
    tell(Abuse::kStalled, "");
    transport_->abort();
    return end("it takes no bytes");
  }
  const bool is_late = (!has_settings_ && now >= began_ + limits_.head_time) ||
                       now >= after(block_began_, limits_.head_time);
  if (is_late && !is_punished_) {
    punish(Abuse::kLateHead);
    flush();
  }
  if (now >= drain_ends_) {
    finish_drain();
    flush();
  }
  if (orphans_ > 0) expire_orphans(now);
  const bool is_unused = options_.is_server && streams_.is_empty() && drain_ == Drain::kNo;
  if (is_unused && now >= idle_since_ + limits_.idle_time) drain();
}

void Multiplexer::expire_orphans(TimePoint now) {
  streams_.for_each([this, now](Stream& stream) {
    if (now < after(stream.closed_at(), limits_.unread_time) || stream.is_own_reset()) return;
    tell(Abuse::kClosedWindow, "");
    stream.reset(code_of(ErrorCode::kCancel));
  });
}

}  // namespace bellows::http2
