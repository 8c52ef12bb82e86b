// The session of libnghttp2 as an object: what it reports comes as calls of FrameEvents. The one
// file that knows the library's names is frame_session.cpp. Within http/h2/io.
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

/// Frames that are counted, or that the connection acts on.
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

/// What a session reports while it receives or makes frames. Nothing here may call receive() or
/// make(). The session keeps names of streams, and asks for the stream at each event: one that was
/// destroyed in an earlier event, or in an earlier one of the same frame, is nullptr.
class FrameEvents {
 public:
  /// nullptr: it is destroyed.
  virtual Stream* find(StreamHandle handle) const = 0;
  /// A field block begins on a stream without or with an object; returns its object, nullptr to
  /// ignore it.
  virtual Stream* on_head_begins(std::int32_t id, Stream* stream) = 0;
  virtual void on_field(std::string_view name, std::string_view value) = 0;
  virtual void on_bad_field(bool is_name) = 0;
  virtual void on_head_ends(Stream* stream, bool ends) = 0;
  virtual void on_data(Stream* stream, std::int32_t id, std::string_view data) = 0;
  /// A DATA frame was read, of so many bytes.
  virtual void on_data_ends(Stream* stream, std::size_t bytes, bool ends) = 0;
  virtual void on_frame(FrameKind kind, std::uint32_t value) = 0;
  /// A HEADERS frame begins, also one that is ignored.
  virtual void on_headers_frame(std::int32_t id) = 0;
  /// A frame ends its stream with RST_STREAM, which is made later.
  virtual void on_bad_frame(Stream* stream) = 0;
  /// It is closed on the wire. Also a request whose HEADERS cannot be sent: its owner has cancelled
  /// it before, or the peer takes no new streams (REFUSED_STREAM).
  virtual void on_closed(Stream* stream, std::uint32_t code) = 0;
  /// A frame was made; `stream` is nullptr for those of the connection.
  virtual void on_sent(FrameKind kind, Stream* stream, std::uint32_t value, bool ends) = 0;
  /// False: receive() ends at once with kFailed, within a frame too.
  virtual bool takes_frames() const = 0;
  /// Bytes that may be put without waiting in memory of their own. No frame is begun in less than
  /// kMaxFrame; a DATA frame is put only if it fits.
  virtual std::size_t room() const = 0;
  /// Takes all of it. It can be more than room(): behind a DATA frame libnghttp2 makes the next
  /// frame in the same call, up to kMaxFrame bytes.
  virtual void put(std::string_view bytes) = 0;

 protected:
  FrameEvents() = default;
  virtual ~FrameEvents() = default;
};

/// Owner: a Multiplexer. Thread: the io thread.
class FrameSession {
 public:
  /// More than any frame that make() writes at once.
  static constexpr std::size_t kMaxFrame = 17 * 1024;

  FrameSession(bool is_server, const Limits& limits, FrameEvents& events);
  ~FrameSession();
  FrameSession(const FrameSession&) = delete;
  FrameSession& operator=(const FrameSession&) = delete;

  /// How receiving went.
  enum class Received : std::uint8_t { kAll, kFlooded, kManyContinuations, kBadPreface, kFailed };
  Received receive(std::string_view bytes);
  /// Puts the next frame into the output. False if there is none, or no room.
  bool make();
  bool wants_to_write() const;
  /// Neither side has anything to say any more.
  bool is_over() const;

  /// Each returns false if the stream cannot take it any more. `has_body`: DATA follow, which are
  /// taken from the stream.
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

  /// GOAWAY that takes all streams so far, and PING whose answer says that it has arrived.
  void submit_shutdown_notice();
  /// GOAWAY with the last stream that has begun, which is returned. The peer's streams above it are
  /// closed as soon as the frame is made.
  std::int32_t submit_goaway(ErrorCode code);
  /// GOAWAY, and no frame after it. The peer may try streams above `last_stream` again on another
  /// connection (RFC 9113 6.8); 0 for a client, which takes none.
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
