#include "http/h2/io/multiplexer.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

namespace bellows::http2 {

namespace {

using Kind = http::IoResult::Kind;

// Number of blocks of 64 KB that are read, or written, before other tasks run.
constexpr int kMaxReads = 4;
constexpr int kMaxWrites = 8;
// Cost limit of a turn. Small frames and compressed fields cause much work for few bytes, so a turn
// is bounded by what was decoded: the bytes of fields, and kFrameCost for each frame. That is some
// hundred requests.
constexpr std::size_t kMostTurnCost = 64 * 1024;
// Bytes that are decoded between checks of the cost.
constexpr std::size_t kSlice = 4 * 1024;
// Requests that are started before other tasks run, because each is forwarded at once.
constexpr std::size_t kMostStreams = 16;
constexpr std::size_t kStreamsBeforeSettings = 100;
// Time for the acknowledgement of the first GOAWAY.
constexpr Duration kDrainTime = std::chrono::seconds(1);
constexpr Duration kLingerTime = std::chrono::seconds(1);

}  // namespace

Multiplexer::Multiplexer(http::Reactor& reactor, std::unique_ptr<http::Connection> transport,
                         std::string_view already_read, const Limits& limits,
                         AbuseCounters& counters, MultiplexerOptions options)
    : reactor_(reactor),
      transport_(std::move(transport)),
      limits_(limits),
      counters_(counters),
      options_(std::move(options)),
      meter_(limits),
      block_(limits),
      waiter_(reactor),
      early_(already_read),
      idle_since_(reactor.now()),
      began_(reactor.now()),
      frames_(options_.is_server, limits, *this) {
  transport_->set_waiter(&waiter_);
  task_ = run();
  waiter_.wake();
  task_.start();
}

Multiplexer::~Multiplexer() {
  state_ = State::kEnded;
  transport_->close();
  streams_.for_each([this](Stream& stream) { stream.closed_on_wire(end_code_, stream.id() != 0); });
}

http::Task<void> Multiplexer::run() {
  for (;;) {
    co_await waiter_.wait();
    turn();
    if (state_ == State::kEnded) co_return;
    const TimePoint deadline = next_deadline();
    if (deadline == TimePoint::max()) {
      waiter_.clear_deadline();
    } else {
      waiter_.set_deadline(deadline);
    }
  }
}

/// Reads available input, gives new streams away, and writes the output of all streams together.
/// Further input waits until the streams of the previous input are given away.
void Multiplexer::turn() {
  if (!early_.empty()) receive(std::exchange(early_, {}));
  const bool is_behind = !ready_.empty();
  if (!is_behind) take_input();
  give_streams();
  if (is_behind || !ready_.empty()) waiter_.wake_last();
  if (is_read_out()) transport_ended(*write_failure_);
  flush();
  check_deadlines();
  end_if_done();
}

void Multiplexer::flush_soon() {
  waiter_.wake();
}

void Multiplexer::take_input() {
  turn_cost_ = 0;
  for (int reads = 0; reads < kMaxReads; ++reads) {
    if (input_begin_ == input_end_ && !read_input()) return;
    decode_input();
    if (input_begin_ != input_end_) break;
  }
  waiter_.wake();
}

/// Returns true if nothing can be sent and all received bytes are read.
bool Multiplexer::is_read_out() const {
  return write_failure_ && input_begin_ == input_end_ && !transport_->is_readable();
}

/// Reads input. Input of a rejected peer is not read, because the peer could otherwise continue
/// until it has read the GOAWAY.
bool Multiplexer::read_input() {
  if (!takes_frames() || (end_code_ != 0 && state_ == State::kLingering)) return false;
  if (state_ == State::kEnded || !transport_->is_readable()) return false;
  http::Block block = reactor_.buffers().acquire(http::BufferPool::kBody);
  const http::IoResult got = transport_->try_read(block.data(), block.size());
  if (got.kind == Kind::kWouldBlock) return false;
  if (got.kind != Kind::kBytes) {
    transport_ended(got);
    return false;
  }
  input_ = std::move(block);
  input_begin_ = 0;
  input_end_ = got.bytes;
  return true;
}

/// Decodes input within the cost limit; the rest is decoded after other tasks had a turn.
void Multiplexer::decode_input() {
  while (input_begin_ != input_end_ && turn_cost_ < kMostTurnCost) {
    const std::size_t slice = std::min(kSlice, input_end_ - input_begin_);
    receive({input_.data() + input_begin_, slice});
    input_begin_ += slice;
    if (state_ != State::kOpen || !takes_frames()) input_begin_ = input_end_;
  }
  if (input_begin_ == input_end_) input_.release();
}

void Multiplexer::transport_ended(const http::IoResult& result) {
  if (result.kind == Kind::kEnd && !options_.is_server) note_undelivered();
  if (!end_reason_.empty() || state_ != State::kOpen) return end(end_reason_);
  end(result.kind == Kind::kEnd ? "its connection was closed"
                                : std::string("its connection failed: ") +
                                      std::strerror(result.error));  // NOLINT: one thread
}

void Multiplexer::receive(std::string_view bytes) {
  if (state_ != State::kOpen) return;
  const FrameSession::Received received = frames_.receive(bytes);
  switch (received) {
    case FrameSession::Received::kAll:
      return;
    case FrameSession::Received::kFlooded:
      return punish(Abuse::kUnreadReplies);
    case FrameSession::Received::kManyContinuations:
      return punish(Abuse::kContinuations);
    case FrameSession::Received::kBadPreface:
    case FrameSession::Received::kFailed:
      break;
  }
  fail_protocol("frames that cannot be parsed");
}

/// Ends the connection with a connection error.
void Multiplexer::fail_protocol(std::string_view detail) {
  if (is_punished_) return;
  note_violation();
  tell(Abuse::kProtocolError, detail);
  end_code_ = code_of(ErrorCode::kProtocolError);
  is_punished_ = true;
  terminate(ErrorCode::kProtocolError);
}

/// Ends the connection. Streams that the owner has not seen count as not processed.
void Multiplexer::terminate(ErrorCode code) {
  for (const StreamHandle handle : std::exchange(ready_, {})) {
    if (Stream* const stream = find(handle)) stream->reject_input();
  }
  frames_.terminate(code, last_given_);
}

/// Marks requests that the peer's system has not received: the peer's end acknowledges what had
/// arrived before, so it has processed no other requests.
void Multiplexer::note_undelivered() {
  streams_.for_each([this](Stream& stream) {
    if (!transport_->may_have_delivered(stream.written_before())) stream.set_undelivered();
  });
}

/// Detects another protocol. A server's connection begins with SETTINGS (RFC 9113 3.4), so a peer
/// that begins with other bytes has understood none of our requests.
void Multiplexer::note_violation() {
  if (!options_.is_server && !has_settings_) is_other_protocol_ = true;
}

void Multiplexer::flush() {
  if (state_ != State::kOpen || write_failure_) return;
  for (int writes = 0; writes < kMaxWrites; ++writes) {
    if (output_begin_ == output_end_) fill_output();
    if (output_begin_ == output_end_) {
      output_.release();
      stalled_since_ = TimePoint::max();
      return;
    }
    const http::IoResult sent = transport_->try_write(
        std::string_view(output_.data() + output_begin_, output_end_ - output_begin_));
    if (sent.kind == Kind::kWouldBlock) {
      stalled_since_ = std::min(stalled_since_, now());
      return;
    }
    if (sent.kind != Kind::kBytes) return output_failed(sent);
    output_begin_ += sent.bytes;
    stalled_since_ = TimePoint::max();
  }
  waiter_.wake();
}

/// Handles a failed write. After a server has disconnected, its last frames are read first, because
/// whole responses may be among them.
void Multiplexer::output_failed(const http::IoResult& result) {
  if (options_.is_server) return transport_ended(result);
  write_failure_ = result;
  drop_output();
  waiter_.wake();
}

void Multiplexer::fill_output() {
  if (overflow_.empty() && !frames_.wants_to_write()) return;
  if (!output_) output_ = reactor_.buffers().acquire(http::BufferPool::kBody);
  output_begin_ = output_end_ = 0;
  put(std::exchange(overflow_, {}));
  while (frames_.make()) {
  }
}

void Multiplexer::put(std::string_view bytes) {
  const std::size_t fit = std::min(bytes.size(), room());
  if (fit > 0) std::memcpy(output_.data() + output_end_, bytes.data(), fit);
  output_end_ += fit;
  overflow_ += bytes.substr(fit);
}

bool Multiplexer::has_output() const {
  return output_begin_ != output_end_ || !overflow_.empty();
}

void Multiplexer::drop_output() {
  output_begin_ = output_end_ = 0;
  output_.release();
  overflow_.clear();
}

/// Gives the next streams to the owner, in the order of their HEADERS.
void Multiplexer::give_streams() {
  std::array<StreamHandle, kMostStreams> next;
  const std::size_t count = std::min(next.size(), ready_.size());
  const auto end = ready_.begin() + static_cast<std::ptrdiff_t>(count);
  std::copy(ready_.begin(), end, next.begin());
  ready_.erase(ready_.begin(), end);
  for (const StreamHandle handle : std::span(next).first(count)) {
    if (state_ != State::kOpen) return;
    Stream* const stream = find(handle);
    if (stream == nullptr) continue;
    // Sessions of reset streams take a moment to end.
    if (connected_ >= 2 * std::size_t{limits_.max_streams}) {
      stream->discard_input();
      stream->reset(code_of(ErrorCode::kRefusedStream));
      continue;
    }
    ++connected_;
    last_given_ = stream->id();
    options_.on_stream(stream->connect());
  }
}

void Multiplexer::drain() {
  if (drain_ != Drain::kNo || state_ != State::kOpen) return;
  if (options_.is_server) {
    drain_ = Drain::kNoticed;
    drain_ends_ = now() + kDrainTime;
    frames_.submit_shutdown_notice();
  } else {
    drain_ = Drain::kDone;
  }
  flush_soon();
}

void Multiplexer::finish_drain() {
  if (drain_ != Drain::kNoticed) return;
  drain_ = Drain::kDone;
  drain_ends_ = TimePoint::max();
  last_taken_ = frames_.submit_goaway(ErrorCode::kNoError);
  flush_soon();
}

void Multiplexer::close() {
  if (state_ == State::kEnded) return;
  terminate(ErrorCode::kNoError);
  flush();
  end("closed by us");
}

bool Multiplexer::has_unsent() const {
  return state_ == State::kOpen &&
         (drain_ == Drain::kNoticed || orphans_ > 0 || has_output() || frames_.wants_to_write());
}

void Multiplexer::close_streams(std::uint32_t code) {
  ready_.clear();
  streams_.for_each([this, code](Stream& stream) {
    const bool may_have_arrived = stream.id() != 0 && !stream.is_undelivered();
    stream.closed_on_wire(code, may_have_arrived && !is_other_protocol_);
    drop_if_done(stream);
  });
}

/// Continues to read, so that the last frames arrive although the peer may still be sending.
void Multiplexer::linger() {
  if (state_ != State::kOpen) return;
  state_ = State::kLingering;
  linger_ends_ = now() + kLingerTime;
  drop_output();
  transport_->shutdown_write();
  close_streams(end_code_);
  tell_change();
}

void Multiplexer::end(std::string reason) {
  if (state_ == State::kEnded) return;
  state_ = State::kEnded;
  end_reason_ = std::move(reason);
  drop_output();
  transport_->close();
  waiter_.wake();
  close_streams(end_code_);
  tell_change();
}

void Multiplexer::end_if_done() {
  if (state_ != State::kOpen || has_output()) return;
  if (!options_.is_server && drain_ == Drain::kDone && streams_.is_empty() && !is_punished_) {
    is_punished_ = true;
    terminate(ErrorCode::kNoError);
    flush();
  }
  if (state_ == State::kOpen && frames_.is_over()) linger();
}

/// Notifies the owner: a server's only of the end, a client's of every change.
void Multiplexer::tell_change() {
  const bool is_end = state_ == State::kEnded && connected_ == 0;
  if (is_change_posted_ || (options_.is_server && !is_end)) return;
  is_change_posted_ = true;
  http::net::post(reactor_.io(), lifetime_.bind([this] {
    is_change_posted_ = false;
    const auto call = options_.is_server ? options_.on_end : options_.on_change;
    if (call) call();  // this object may be destroyed now
  }));
}

bool Multiplexer::may_open() const {
  if (state_ != State::kOpen || drain_ != Drain::kNo || has_goaway_ || is_punished_) return false;
  const std::size_t most = has_settings_ ? frames_.peer_max_streams() : kStreamsBeforeSettings;
  return connected_ < most && frames_.has_ids();
}

std::unique_ptr<http::Connection> Multiplexer::open_stream() {
  ++connected_;
  return streams_.add(*this, options_.is_server, 0).connect();
}

void Multiplexer::stream_disconnected(Stream& stream) {
  if (--connected_ == 0) idle_since_ = now();
  if (stream.closed_at() != TimePoint::max()) ++orphans_;
  drop_if_done(stream);
  if (drain_ == Drain::kDone) flush_soon();
  tell_change();
}

void Multiplexer::drop_if_done(Stream& stream) {
  if (stream.is_connected() || (stream.id() != 0 && !stream.is_closed_on_wire())) return;
  if (stream.closed_at() != TimePoint::max()) --orphans_;
  streams_.remove(stream.handle());
}

}  // namespace bellows::http2
