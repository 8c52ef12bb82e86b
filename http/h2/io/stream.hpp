// One stream of a connection of HTTP/2, and the http::Connection that its owner sees. Within
// http/h2/io; others see only the http::Connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/tie.hpp"
#include "http/core/head.hpp"
#include "http/h2/core/body_text.hpp"
#include "http/h2/core/byte_queue.hpp"
#include "http/h2/core/field_block.hpp"
#include "http/h2/core/inbox.hpp"
#include "http/h2/io/stream_table.hpp"
#include "http/io/connection.hpp"
#include "http/io/pooled.hpp"

namespace bellows::http2 {

/// The http::Connection of a stream. It may outlive its stream, and then acts as a connection that
/// was reset. Owner: a session, an exchange or an upstream pool.
class StreamConnection final : public http::Connection, public http::Pooled {
 public:
  explicit StreamConnection(Stream& stream);
  ~StreamConnection() override;

  using Connection::try_write;

  bool is_open() const override { return is_open_; }
  std::size_t rest() const override;
  std::size_t most_unread() const override;
  bool take_head(std::string_view text, const http::HeadLimits& limits,
                 http::RequestHead& head) override;
  bool take_head(std::string_view text, const http::HeadLimits& limits,
                 http::ResponseHead& head) override;
  http::IoResult try_read(char* data, std::size_t size) override;
  http::IoResult try_write(const iovec* parts, std::size_t count) override;
  http::IoResult try_write_head(const http::RequestHead& head, const iovec* parts,
                                std::size_t count) override;
  http::IoResult try_write_head(const http::ResponseHead& head, const iovec* parts,
                                std::size_t count) override;
  bool is_idle() override;
  /// Returns that of the HTTP/2 connection.
  std::optional<http::TlsPeer> tls_peer() const override;
  /// Ends the outgoing message, if its body ends with its connection.
  void shutdown_write() override;
  void close() override;
  void abort() override;

 private:
  friend class Stream;

  Tie<StreamConnection, Stream> stream_{*this};  // empty: it is closed, or its stream is destroyed
  bool is_open_ = true;
};

/// Owner: the StreamTable of its Multiplexer, until it is closed on the wire and by its connection.
class Stream : public http::Pooled {
 public:
  Stream(Multiplexer& multiplexer, StreamHandle handle, bool is_server, std::int32_t id);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Makes its connection. Call it once.
  std::unique_ptr<http::Connection> connect();
  bool is_connected() const { return static_cast<bool>(connection_); }
  StreamHandle handle() const { return handle_; }
  /// Returns 0 for a request that was not submitted yet.
  std::int32_t id() const { return id_; }

  // Input.
  bool has_head() const { return inbox_.has_head(); }
  /// Adds the head of a request or a final response. `ends`: END_STREAM.
  std::optional<MessageFault> head_came(const FieldBlock& block, bool ends);
  std::optional<MessageFault> interim_came(std::string_view text);
  std::optional<MessageFault> data_came(std::string_view data);
  /// Ends the input (END_STREAM).
  std::optional<MessageFault> end_came(std::string_view trailers);
  /// Discards all further input.
  void discard_input();
  bool discards_input() const { return discards_input_; }
  std::optional<http::TlsPeer> tls_peer() const;
  /// Rejects malformed input: the input ends as if the peer had reset the stream.
  void reject_input() {
    is_rejected_ = true;
    discard_input();
  }
  /// Returns which request its response answers, on a client.
  const ResponseTo& response_to() const { return response_to_; }

  // Output.
  std::size_t unsent() const { return out_.size(); }
  std::string_view unsent_view() const { return out_.view(); }
  void note_sent(std::size_t bytes);
  /// A HEADERS frame was sent.
  void note_head_sent();
  bool has_ended_output() const { return output_ == Output::kEnded; }
  std::string_view trailers() const { return body_.trailers(); }
  /// Returns false if they cannot be sent.
  bool submit_trailers(std::int32_t id);
  void set_deferred(bool is_deferred) { is_deferred_ = is_deferred; }
  /// Records that END_STREAM was sent.
  void note_end_sent();
  /// Submits a response without a body, in place of one of the owner.
  void submit_status(int status);
  /// Submits a handshake that has waited for the peer's SETTINGS, or fails it.
  void settings_came();

  /// Records that the stream is closed on the wire: both sides have ended, or it was reset.
  void closed_on_wire(std::uint32_t code, bool was_processed);
  bool is_closed_on_wire() const { return is_closed_on_wire_; }
  /// Resets the stream for a reason of ours.
  void reset(std::uint32_t code);
  bool is_own_reset() const { return is_own_reset_; }
  /// Returns the bytes of the connection that were written before its request, on a client.
  std::uint64_t written_before() const { return written_before_; }
  /// Records that the peer has ended the connection, and that its system received no byte of the
  /// request.
  void set_undelivered() { is_undelivered_ = true; }
  bool is_undelivered() const { return is_undelivered_; }
  /// Returns when its connection was closed with unsent bytes.
  TimePoint closed_at() const { return closed_at_; }

  // Operations of its connection.
  http::IoResult read(char* data, std::size_t size);
  http::IoResult write(const iovec* parts, std::size_t count);
  /// See Connection::take_head().
  template <class Head>
  bool take_known(std::string_view text, const http::HeadLimits& limits, Head& head);
  /// See Connection::try_write_head().
  template <class Head>
  http::IoResult write_known(const Head& head, const iovec* parts, std::size_t count);
  bool is_idle() const;
  std::size_t rest() const { return inbox_.rest(); }
  std::size_t most_unread() const;
  void end_output();
  /// Ends the connection's part; it may destroy this stream.
  void connection_closed(bool is_abort, std::uint32_t abort_code);

 private:
  friend class StreamConnection;

  /// State of the outgoing message.
  enum class Output : std::uint8_t {
    kHead,  ///< -> kHeld, kBody, kEnded
    kHeld,  ///< a handshake waits for the peer's SETTINGS -> kBody
    kBody,  ///< -> kEnded
    kEnded,
  };

  /// A received head that was not read yet.
  struct KnownHead : http::Pooled {
    std::variant<http::RequestHead, http::ResponseHead> head;
    const char* text = nullptr;  // address to which its views point; no memory is there any more
  };

  template <class Head>
  void note_known(const FieldBlock& block);
  http::IoResult write_rest(const iovec* parts, std::size_t count, std::size_t taken);
  std::size_t take(std::string_view text);
  std::size_t take_head(std::string_view text);
  std::size_t take_body(std::string_view text);
  bool read_head(std::string_view text, std::size_t& size);
  bool read_request(std::string_view text, std::size_t& size);
  bool read_response(std::string_view text, std::size_t& size);
  void begin_message(const http::RequestHead& head);
  void begin_message(const http::ResponseHead& head);
  void begin_tunnel(std::string_view head);
  void begin_body(http::BodyFraming framing);
  void output_ends();
  void submit();
  bool fail(int error);
  bool is_at_end() const;
  void wake_reader();
  /// Wakes the writer that waits for room.
  void make_room();
  void resume();

  Multiplexer& multiplexer_;
  const StreamHandle handle_;
  Tie<Stream, StreamConnection> connection_{*this};  // empty: not made yet, or closed
  Inbox inbox_;
  ByteQueue out_;
  BodyText body_;
  ByteQueue head_;  // text of a head that is incomplete or held
  std::unique_ptr<KnownHead> known_;
  ResponseTo response_to_;
  TimePoint closed_at_ = TimePoint::max();
  std::uint64_t written_before_ = 0;
  std::int32_t id_;
  int error_ = 0;  // errno for writes
  Output output_ = Output::kHead;
  const bool is_server_;
  bool is_tunnel_ = false;     // an extended CONNECT
  bool is_to_submit_ = false;  // a final head was read
  bool is_deferred_ = false;   // no DATA until more is written
  bool wants_room_ = false;
  bool is_end_sent_ = false;
  bool has_peer_ended_ = false;
  bool has_interim_ = false;
  std::uint32_t unsent_interims_ = 0;
  bool discards_input_ = false;
  bool is_rejected_ = false;
  bool is_closed_on_wire_ = false;
  bool is_own_reset_ = false;
  bool is_undelivered_ = false;
};

}  // namespace bellows::http2
