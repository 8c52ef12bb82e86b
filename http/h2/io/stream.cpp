#include "http/h2/io/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "http/core/framing.hpp"
#include "http/h2/core/error_code.hpp"
#include "http/h2/io/multiplexer.hpp"

namespace bellows::http2 {

namespace {

using Kind = http::IoResult::Kind;

bool asks_for_websocket(const http::RequestHead& head) {
  if (!head.requests_upgrade()) return false;
  bool asks = false;
  http::for_each_upgrade(head.fields, [&](std::string_view protocol) {
    asks |= http::equals_lower(protocol, "websocket");
  });
  return asks;
}

}  // namespace

Stream::Stream(Multiplexer& multiplexer, StreamHandle handle, bool is_server, std::int32_t id)
    : multiplexer_(multiplexer), handle_(handle), id_(id), is_server_(is_server) {}

Stream::~Stream() = default;

std::unique_ptr<http::Connection> Stream::connect() {
  return std::make_unique<StreamConnection>(*this);
}

void Stream::wake_reader() {
  if (!connection_) return;
  connection_->readable_ = true;
  connection_->wake();
}

std::optional<MessageFault> Stream::head_came(const FieldBlock& block, bool ends) {
  const HeadFacts& facts = block.facts();
  if (is_server_) {
    is_tunnel_ = facts.is_tunnel;
    response_to_.is_head = block.is_head_request();
  }
  const bool has_body =
      is_server_ || (!response_to_.is_head && facts.status != 204 && facts.status != 304);
  inbox_.add_head(block.text(), facts, has_body);
  if (is_server_) {
    note_known<http::RequestHead>(block);
  } else {
    note_known<http::ResponseHead>(block);
  }
  if (!is_server_ && facts.is_tunnel) inbox_.open_tunnel();
  if (ends) return end_came({});
  wake_reader();
  return std::nullopt;
}

/// Keeps the parts of a head, unless it follows an unread interim head, because the start of its
/// text is unknown then.
template <class Head>
void Stream::note_known(const FieldBlock& block) {
  if (has_interim_) return;
  auto known = std::make_unique<KnownHead>();
  if (!block.describe(known->head.emplace<Head>())) return;
  known->text = block.text().data();
  known_ = std::move(known);
}

/// HEADERS have no flow control (RFC 9113 5.2), and a peer may send any number of interim heads.
std::optional<MessageFault> Stream::interim_came(std::string_view text) {
  if (inbox_.waiting_heads() + text.size() > multiplexer_.limits().interim_bytes) {
    return MessageFault::kUnreadInterims;
  }
  has_interim_ = true;
  inbox_.add_interim(text);
  wake_reader();
  return std::nullopt;
}

std::optional<MessageFault> Stream::data_came(std::string_view data) {
  if (data.empty()) return std::nullopt;
  const std::optional<MessageFault> fault = inbox_.add_data(data);
  wake_reader();
  return fault;
}

std::optional<MessageFault> Stream::end_came(std::string_view trailers) {
  has_peer_ended_ = true;
  if (discards_input_) return std::nullopt;
  const std::optional<MessageFault> fault = inbox_.end(trailers);
  // The end of a request is not a disconnect of its caller.
  if (!is_server_ && connection_) connection_->peer_has_closed_ = true;
  wake_reader();
  return fault;
}

std::optional<http::TlsPeer> Stream::tls_peer() const {
  return multiplexer_.transport().tls_peer();
}

void Stream::discard_input() {
  discards_input_ = true;
  inbox_.clear();
}

bool Stream::is_at_end() const {
  if (!is_server_) return inbox_.has_head() && inbox_.is_read();
  if (is_tunnel_) return inbox_.is_read();
  return output_ == Output::kEnded;  // a stream has no second request
}

bool Stream::is_idle() const {
  return !inbox_.has_text() && !is_at_end() && !is_closed_on_wire_;
}

/// Returns the maximum that its window lets the peer send.
std::size_t Stream::most_unread() const {
  return inbox_.most_unread(multiplexer_.limits().stream_window);
}

http::IoResult Stream::read(char* data, std::size_t size) {
  const bool is_over = is_server_ && !is_tunnel_ && output_ == Output::kEnded;
  if (const std::size_t moved = is_over ? 0 : inbox_.read(data, size); moved > 0) {
    const std::size_t freed = inbox_.take_read_data();
    if (freed > 0 && !is_closed_on_wire_) {
      multiplexer_.frames().consume_stream(id_, freed);
      if (multiplexer_.frames().wants_to_write()) multiplexer_.flush_soon();
    }
    return {Kind::kBytes, moved, 0};
  }
  if (connection_->was_reset_) {
    return connection_->was_not_processed_ ? http::IoResult{Kind::kEnd, 0, 0}
                                           : http::IoResult::failed(ECONNRESET);
  }
  if (is_at_end()) return {Kind::kEnd, 0, 0};
  if (error_ != 0 && !is_server_ && !inbox_.has_head() && id_ == 0)
    return http::IoResult::failed(error_);
  connection_->readable_ = false;
  return {};
}

http::IoResult Stream::write(const iovec* parts, std::size_t count) {
  return error_ != 0 ? http::IoResult::failed(error_) : write_rest(parts, count, 0);
}

/// Writes parts of the message. `taken` is the number of bytes of the message before them.
http::IoResult Stream::write_rest(const iovec* parts, std::size_t count, std::size_t taken) {
  bool is_full = false;
  for (std::size_t i = 0; i < count && !is_full; ++i) {
    std::string_view text(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
    while (!text.empty() && !is_full) {
      const std::size_t size = take(text);
      text.remove_prefix(size);
      taken += size;
      is_full = size == 0 || error_ != 0;
    }
  }
  if (error_ != 0) {
    is_to_submit_ = false;
  } else if (is_to_submit_) {
    submit();
  } else {
    resume();
  }
  if (taken > 0) return {Kind::kBytes, taken, 0};
  if (error_ != 0) return http::IoResult::failed(error_);
  wants_room_ = true;
  return {};
}

std::size_t Stream::take(std::string_view text) {
  switch (output_) {
    case Output::kHead:
      return take_head(text);
    case Output::kHeld:
      return 0;
    case Output::kBody:
      return take_body(text);
    case Output::kEnded:
      break;
  }
  fail(EPIPE);  // after the end of its message
  return 0;
}

/// Returns how many bytes belong to the head, or are buffered because it is incomplete.
std::size_t Stream::take_head(std::string_view text) {
  std::size_t size = 0;
  if (head_.empty()) {
    if (unsent_interims_ >= multiplexer_.limits().unsent_interims) return 0;
    if (read_head(text, size)) return size;
    head_.append(text);
    return text.size();
  }
  const std::size_t before = head_.size();
  head_.append(text);
  if (!read_head(head_.view(), size)) return text.size();
  return size - before;
}

/// Returns false if the head is incomplete. A fault is stored in error_.
bool Stream::read_head(std::string_view text, std::size_t& size) {
  return is_server_ ? read_response(text, size) : read_request(text, size);
}

bool Stream::fail(int error) {
  error_ = error;
  reset(code_of(ErrorCode::kInternalError));
  return true;
}

bool Stream::read_response(std::string_view text, std::size_t& size) {
  http::HeadParser parser(http::kMaxHeadLimits);
  http::ResponseHead head;
  const http::HeadResult result = parser.read(text, head);
  size = text.size();
  if (result.is_fault()) return fail(EPROTO);
  if (!result.is_complete()) return false;
  size = head.size;
  MessageFields& fields = multiplexer_.fields();
  if (head.is_interim()) {
    fields.set_response(head, false);
    if (!multiplexer_.frames().submit_interim(id_, fields.all())) return fail(EPIPE);
    ++unsent_interims_;
    multiplexer_.flush_soon();
    head_.clear();
    return true;
  }
  if (head.status != 101) {
    begin_message(head);
    return true;
  }
  if (!is_tunnel_) return fail(EPROTO);
  fields.set_response(head, true);
  inbox_.open_tunnel();
  wake_reader();
  begin_body({http::BodyEnd::kClose});
  return true;
}

/// Begins a final response.
void Stream::begin_message(const http::ResponseHead& head) {
  multiplexer_.fields().set_response(head, false);
  is_tunnel_ = false;
  begin_body(http::response_body(head, response_to_.is_head ? "HEAD" : "GET"));
}

bool Stream::read_request(std::string_view text, std::size_t& size) {
  http::HeadParser parser(http::kMaxHeadLimits);
  http::RequestHead head;
  const http::HeadResult result = parser.read(text, head);
  size = text.size();
  if (result.is_fault()) return fail(EPROTO);
  if (!result.is_complete()) return false;
  size = head.size;
  if (!asks_for_websocket(head)) {
    begin_message(head);
    return true;
  }
  is_tunnel_ = true;
  response_to_ = {.is_head = false,
                  .is_tunnel = true,
                  .websocket_key = std::string(head.fields.find("sec-websocket-key").value_or(""))};
  multiplexer_.fields().set_request(head, multiplexer_.scheme(), true);
  begin_tunnel(text.substr(0, size));
  return true;
}

/// Begins a request that is not an upgrade.
void Stream::begin_message(const http::RequestHead& head) {
  response_to_.is_head = head.method == "HEAD";
  multiplexer_.fields().set_request(head, multiplexer_.scheme(), false);
  begin_body(http::request_body(head));
}

/// Begins an extended CONNECT, which may only be sent to a peer that has enabled it (RFC 8441 3).
void Stream::begin_tunnel(std::string_view head) {
  if (!multiplexer_.is_ready()) {
    ByteQueue held;
    held.append(head);
    head_ = std::move(held);
    output_ = Output::kHeld;
    return;
  }
  if (!multiplexer_.frames().peer_allows_tunnels()) {
    error_ = EPROTONOSUPPORT;
    wake_reader();
    return;
  }
  begin_body({http::BodyEnd::kClose});
}

void Stream::settings_came() {
  if (output_ != Output::kHeld) return;
  output_ = Output::kHead;
  const ByteQueue head = std::exchange(head_, {});
  std::size_t size = 0;
  read_head(head.view(), size);
  if (is_to_submit_) submit();
}

void Stream::begin_body(http::BodyFraming framing) {
  body_.begin(framing);
  output_ = Output::kBody;
  is_to_submit_ = true;
  if (body_.is_complete()) output_ends();
}

std::size_t Stream::take_body(std::string_view text) {
  const std::size_t most = multiplexer_.limits().unsent;
  if (out_.size() >= most) return 0;
  text = text.substr(0, most - out_.size());
  const std::size_t size = text.size();
  out_.append(body_.next_data(text));
  if (body_.is_broken()) {
    fail(EPROTO);
  } else if (body_.is_complete()) {
    output_ends();
  }
  return size - text.size();
}

void Stream::submit() {
  is_to_submit_ = false;
  const bool has_body = output_ != Output::kEnded || !out_.empty() || !trailers().empty();
  FrameSession& frames = multiplexer_.frames();
  const std::span<const Field> fields = multiplexer_.fields().all();
  if (is_server_) {
    if (!frames.submit_response(handle_, id_, fields, has_body)) error_ = EPIPE;
  } else {
    written_before_ = multiplexer_.transport().written();
    id_ = multiplexer_.is_open() ? frames.submit_request(handle_, fields, has_body) : 0;
    if (id_ == 0) closed_on_wire(code_of(ErrorCode::kRefusedStream), false);
  }
  head_.clear();
  multiplexer_.flush_soon();
}

/// Resumes its DATA.
void Stream::resume() {
  if (!is_deferred_ || (out_.empty() && output_ != Output::kEnded)) return;
  is_deferred_ = false;
  multiplexer_.frames().resume(id_);
  multiplexer_.flush_soon();
}

bool Stream::submit_trailers(std::int32_t id) {
  MessageFields& fields = multiplexer_.fields();
  fields.set_trailers(trailers());
  return multiplexer_.frames().submit_trailers(id, fields.all());
}

void Stream::submit_status(int status) {
  output_ = Output::kEnded;
  discard_input();
  MessageFields& fields = multiplexer_.fields();
  fields.set_status(std::to_string(status));
  multiplexer_.frames().submit_response(handle_, id_, fields.all(), false);
}

void Stream::note_sent(std::size_t bytes) {
  out_.consume(bytes);
  if (wants_room_ && out_.size() <= multiplexer_.limits().unsent / 2) make_room();
}

void Stream::note_head_sent() {
  if (unsent_interims_ == 0) return;
  --unsent_interims_;
  if (wants_room_ && output_ == Output::kHead) make_room();
}

void Stream::make_room() {
  wants_room_ = false;
  if (connection_) connection_->wake();
}

void Stream::note_end_sent() {
  is_end_sent_ = true;
  // The caller may stop sending (RFC 9113 8.1).
  if (is_server_ && !connection_ && !has_peer_ended_) reset(code_of(ErrorCode::kNoError));
}

void Stream::end_output() {
  if (output_ != Output::kBody || !body_.ends_with_close()) return;
  output_ends();
  resume();
}

/// Ends the output; a server's reader then finds the end.
void Stream::output_ends() {
  output_ = Output::kEnded;
  if (is_server_ && connection_) connection_->readable_ = true;
}

void Stream::reset(std::uint32_t code) {
  if (is_closed_on_wire_ || id_ == 0) return;
  is_own_reset_ = true;
  multiplexer_.frames().reset(id_, code);
  multiplexer_.flush_soon();
}

void Stream::closed_on_wire(std::uint32_t code, bool was_processed) {
  if (is_closed_on_wire_) return;
  is_closed_on_wire_ = true;
  if (!connection_) return;
  // A tunnel's peer may send more after our end, so a reset truncates the tunnel.
  const bool is_answered = is_server_ && !is_tunnel_ ? is_end_sent_ : has_peer_ended_;
  const bool is_whole = !is_rejected_ && is_answered;
  if (is_whole) {
    if (output_ != Output::kEnded) error_ = EPIPE;
  } else {
    error_ = ECONNRESET;
    inbox_.clear();
    connection_->was_reset_ = true;
    connection_->reset_code_ = code;
    connection_->was_not_processed_ = !was_processed;
    connection_->peer_has_closed_ = true;
  }
  out_.clear();
  wake_reader();
}

void Stream::connection_closed(bool is_abort, std::uint32_t abort_code) {
  if (!is_abort) end_output();
  discard_input();
  const bool is_begun = id_ != 0 && !is_closed_on_wire_;
  if (is_begun) closed_at_ = multiplexer_.turn_began();
  if (is_begun && is_server_) {
    if (is_abort || output_ != Output::kEnded) {
      reset(is_abort ? abort_code : code_of(ErrorCode::kInternalError));
    } else if (is_end_sent_ && !has_peer_ended_) {
      reset(code_of(ErrorCode::kNoError));
    }
  } else if (is_begun && !(has_peer_ended_ && is_end_sent_)) {
    const bool has_reason = is_abort && abort_code != code_of(ErrorCode::kInternalError);
    reset(has_reason ? abort_code : code_of(ErrorCode::kCancel));
  }
  multiplexer_.stream_disconnected(*this);
}

}  // namespace bellows::http2
