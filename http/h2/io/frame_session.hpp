// Wraps the session of libnghttp2 as an object that reports by calls of FrameEvents. Only
// frame_session.cpp uses the library's names. Within http/h2/io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "http/h2/core/error_code.hpp"
#include "http/h2/core/limits.hpp"
#include "http/h2/core/message_fields.hpp"
#include "http/h2/io/stream_table.hpp"

struct nghttp2_session;

namespace bellows::http2 {

/// Frames that are counted or handled by the connection.
enum class FrameKind : std::uint8_t {
  kHeaders,
  kContinuation,
  kData,
  kSettings,
  kPing,
  kPingAck,
  kPriority,
  kWindowUpdate,  ///< value: the increment
  kReset,         ///< value: the code
  kGoaway,        ///< value: the code
  kUnknown,
};

/// Receives what a session reports while it reads or makes frames. An implementation must not call
/// receive() or make(). The session stores handles of streams and looks up the stream at each
/// event. The result is nullptr for a stream that an earlier event, even of the same frame, has
/// destroyed.
class FrameEvents {
 public:
  /// Returns nullptr if the stream is destroyed.
  virtual Stream* find(StreamHandle handle) const = 0;
  /// Called at the beginning of a field block, whose stream may have no object yet. Returns the
  /// stream's object, or nullptr to ignore the block.
  virtual Stream* on_head_begins(std::int32_t id, Stream* stream) = 0;
  virtual void on_field(std::string_view name, std::string_view value) = 0;
  virtual void on_bad_field(bool is_name) = 0;
  virtual void on_head_ends(Stream* stream, bool ends) = 0;
  virtual void on_data(Stream* stream, std::int32_t id, std::string_view data) = 0;
  /// Called after a DATA frame, with the number of its bytes.
  virtual void on_data_ends(Stream* stream, std::size_t bytes, bool ends) = 0;
  virtual void on_frame(FrameKind kind, std::uint32_t value) = 0;
  /// Called at the beginning of a HEADERS frame, also of one that is ignored.
  virtual void on_headers_frame(std::int32_t id) = 0;
  /// Called when a frame ends its stream with RST_STREAM, which is made later.
  virtual void on_bad_frame(Stream* stream) = 0;
  /// Called when the stream is closed on the wire. It is also called for a request whose HEADERS
  /// cannot be sent: its owner has cancelled it before, or the peer accepts no new streams
  /// (REFUSED_STREAM).
  virtual void on_closed(Stream* stream, std::uint32_t code) = 0;
  /// Called after a frame was made; `stream` is nullptr for frames of the connection.
  virtual void on_sent(FrameKind kind, Stream* stream, std::uint32_t value, bool ends) = 0;
  /// Returns false to end receive() at once with kFailed, even within a frame.
  virtual bool takes_frames() const = 0;
  /// Returns how many bytes may be put without extra memory. No frame is begun with less than
  /// kMaxFrame; a DATA frame is put only if it fits.
  virtual std::size_t room() const = 0;
  /// Takes all of `bytes`. They can exceed room(): after a DATA frame libnghttp2 makes the next
  /// frame in the same call, up to kMaxFrame bytes.
  virtual void put(std::string_view bytes) = 0;

 protected:
  FrameEvents() = default;
  virtual ~FrameEvents() = default;
};

/// Owner: a Multiplexer. Thread: the io thread.
class FrameSession {
 public:
  /// Larger than any frame that make() writes at once.
  static constexpr std::size_t kMaxFrame = 17 * 1024;

  FrameSession(bool is_server, const Limits& limits, FrameEvents& events);
  ~FrameSession();
  FrameSession(const FrameSession&) = delete;
  FrameSession& operator=(const FrameSession&) = delete;

  /// Result of receiving.
  enum class Received : std::uint8_t { kAll, kFlooded, kManyContinuations, kBadPreface, kFailed };
  Received receive(std::string_view bytes);
  /// Puts the next frame into the output. Returns false if there is none, or no room.
  bool make();
  bool wants_to_write() const;
  /// Returns true if neither side has more to send.
  bool is_over() const;

  /// Each function returns false if the stream cannot take the message any more. `has_body`: DATA
  /// follow, which are read from the stream.
  bool submit_response(StreamHandle stream, std::int32_t id, std::span<const Field> fields,
                       bool has_body);
  bool submit_interim(std::int32_t id, std::span<const Field> fields);
  /// Returns the id; 0 if there is none left.
  std::int32_t submit_request(StreamHandle stream, std::span<const Field> fields, bool has_body);
  bool submit_trailers(std::int32_t id, std::span<const Field> fields);
  void reset(std::int32_t id, std::uint32_t code);
  void resume(std::int32_t id);
  void consume_connection(std::size_t bytes);
  void consume_stream(std::int32_t id, std::size_t bytes);

  /// Sends a GOAWAY that accepts all streams so far, and a PING whose acknowledgement shows that
  /// the GOAWAY has arrived.
  void submit_shutdown_notice();
  /// Sends a GOAWAY with the last stream that has begun, and returns that. The peer's streams above
  /// it are closed as soon as the frame is made.
  std::int32_t submit_goaway(ErrorCode code);
  /// Sends a GOAWAY as the last frame. The peer may retry streams above `last_stream` on another
  /// connection (RFC 9113 6.8). It is 0 for a client, which accepts none.
  void terminate(ErrorCode code, std::int32_t last_stream);

  bool peer_allows_tunnels() const;
  std::uint32_t peer_max_streams() const;
  bool has_ids() const;

 private:
  struct NameValues;
  NameValues& to_library(std::span<const Field> fields);
  void submit_settings(bool is_server, const Limits& limits);

  FrameEvents& events_;
  nghttp2_session* session_ = nullptr;
  const std::unique_ptr<NameValues> scratch_;
};

}  // namespace bellows::http2
