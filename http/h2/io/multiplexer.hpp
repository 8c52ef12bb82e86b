// Connects frames and streams of one HTTP/2 connection: it has the session of libnghttp2, its
// transport, and the one task that reads and writes it. Within http/h2/io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lifetime.hpp"
#include "http/h2/core/abuse.hpp"
#include "http/h2/core/error_code.hpp"
#include "http/h2/core/field_block.hpp"
#include "http/h2/core/limits.hpp"
#include "http/h2/core/message_fields.hpp"
#include "http/h2/core/stream_ids.hpp"
#include "http/h2/io/frame_session.hpp"
#include "http/h2/io/stream.hpp"
#include "http/h2/io/stream_table.hpp"
#include "http/io/connection.hpp"
#include "http/io/task.hpp"

namespace bellows::http2 {

/// Options that the two sides set.
struct MultiplexerOptions {
  bool is_server = false;
  std::string scheme;  ///< client only: of its requests
  std::string peer;    ///< named in log lines
  std::function<void(std::unique_ptr<http::Connection>)> on_stream;  ///< server only
  std::function<void()> on_change;                                   ///< client only
  std::function<void()> on_end;                                      ///< server only
};

/// Owner: a ServerConnection or a ClientConnection. Thread: the io thread.
class Multiplexer final : private FrameEvents {
 public:
  Multiplexer(http::Reactor& reactor, std::unique_ptr<http::Connection> transport,
              std::string_view already_read, const Limits& limits, AbuseCounters& counters,
              MultiplexerOptions options);
  ~Multiplexer() override;
  Multiplexer(const Multiplexer&) = delete;
  Multiplexer& operator=(const Multiplexer&) = delete;

  void drain();
  bool is_draining() const { return drain_ != Drain::kNo; }
  void close();
  bool may_open() const;
  std::unique_ptr<http::Connection> open_stream();
  bool is_ready() const { return has_settings_; }
  bool is_other_protocol() const { return is_other_protocol_; }
  bool has_ended() const { return state_ == State::kEnded; }
  const std::string& end_reason() const { return end_reason_; }
  std::size_t open_streams() const { return connected_; }
  bool has_unsent() const;
  TimePoint idle_since() const { return connected_ > 0 ? TimePoint::max() : idle_since_; }
  const http::Connection& transport() const { return *transport_; }

  // Returns the limits, for its streams.
  const Limits& limits() const { return limits_; }
  FrameSession& frames() { return frames_; }
  MessageFields& fields() { return fields_; }
  const std::string& scheme() const { return options_.scheme; }
  TimePoint now() const { return reactor_.now(); }
  TimePoint turn_began() const { return reactor_.turn_began(); }
  bool is_open() const { return state_ == State::kOpen; }
  void flush_soon();
  void stream_disconnected(Stream& stream);

 private:
  /// State of the connection. GOAWAY has been sent from kLingering on.
  enum class State : std::uint8_t {
    kOpen,       ///< -> kLingering, kEnded
    kLingering,  ///< continues to read, so that the last bytes arrive -> kEnded
    kEnded,
  };
  enum class Drain : std::uint8_t { kNo, kNoticed, kDone };

  http::Task<void> run();
  void turn();
  void take_input();
  bool read_input();
  void decode_input();
  void receive(std::string_view bytes);
  void flush();
  void output_failed(const http::IoResult& result);
  bool has_output() const;
  void drop_output();
  bool is_read_out() const;
  void fill_output();
  void give_streams();
  void check_deadlines();
  TimePoint next_deadline() const;
  void end_if_done();
  void linger();
  void end(std::string reason);
  void tell_change();
  void punish(Abuse abuse);
  void terminate(ErrorCode code);
  void meter(Abuse kind);
  void tell(Abuse abuse, std::string_view detail);
  void finish_drain();
  /// Destroys the stream unless it is open on the wire or has a connection.
  void drop_if_done(Stream& stream);
  void close_streams(std::uint32_t code);
  void reject(Stream& stream, MessageFault fault);
  void meter_large_head();
  std::optional<MessageFault> finish_head(Stream& stream, bool ends);
  void note_violation();
  void fail_protocol(std::string_view detail);
  void transport_ended(const http::IoResult& result);
  void note_undelivered();
  void expire_orphans(TimePoint now);

  // Implementation of FrameEvents.
  Stream* find(StreamHandle handle) const override { return streams_.find(handle); }
  Stream* on_head_begins(std::int32_t id, Stream* stream) override;
  void on_field(std::string_view name, std::string_view value) override;
  void on_bad_field(bool is_name) override;
  void on_head_ends(Stream* stream, bool ends) override;
  void on_data(Stream* stream, std::int32_t id, std::string_view data) override;
  void on_data_ends(Stream* stream, std::size_t bytes, bool ends) override;
  void on_frame(FrameKind kind, std::uint32_t value) override;
  void on_headers_frame(std::int32_t id) override;
  void on_bad_frame(Stream* stream) override;
  void on_closed(Stream* stream, std::uint32_t code) override;
  void on_sent(FrameKind kind, Stream* stream, std::uint32_t value, bool ends) override;
  bool takes_frames() const override { return !(is_punished_ && end_code_ != 0); }
  std::size_t room() const override { return output_.size() - output_end_; }
  void put(std::string_view bytes) override;

  http::Reactor& reactor_;
  const std::unique_ptr<http::Connection> transport_;
  const Limits& limits_;
  AbuseCounters& counters_;
  const MultiplexerOptions options_;
  AbuseMeter meter_;
  FramesEarned earned_;
  StreamIds ids_;  // server only
  FieldBlock block_;
  MessageFields fields_;
  http::Waiter waiter_;
  http::Block input_;  // acquired while a part of it waits for the next turn
  std::size_t input_begin_ = 0;
  std::size_t input_end_ = 0;
  std::size_t turn_cost_ = 0;  // see kMostTurnCost
  http::Block output_;
  std::size_t output_begin_ = 0;
  std::size_t output_end_ = 0;
  std::string overflow_;  // bytes after output_, less than a frame
  std::optional<http::IoResult> write_failure_;
  std::string early_;  // read before this object existed
  StreamTable streams_;
  std::vector<StreamHandle> ready_;  // not given to the owner yet
  std::int32_t last_given_ = 0;      // highest stream given to the owner
  std::int32_t last_taken_ = std::numeric_limits<std::int32_t>::max();  // see finish_drain()
  std::size_t connected_ = 0;
  std::size_t orphans_ = 0;  // streams closed by their owner with unsent bytes
  TimePoint idle_since_;
  TimePoint block_began_ = TimePoint::max();
  TimePoint stalled_since_ = TimePoint::max();
  TimePoint drain_ends_ = TimePoint::max();
  TimePoint linger_ends_ = TimePoint::max();
  const TimePoint began_;
  std::string end_reason_;
  std::uint32_t end_code_ = 0;  // code of GOAWAY
  std::uint32_t continuations_ = 0;
  std::optional<MessageFault> last_fault_;
  State state_ = State::kOpen;
  Drain drain_ = Drain::kNo;
  bool has_settings_ = false;
  bool has_goaway_ = false;         // received from the peer
  bool is_other_protocol_ = false;  // client only: the peer's first bytes are not HTTP/2
  bool is_punished_ = false;
  bool is_change_posted_ = false;
  FrameSession frames_;
  Lifetime lifetime_;
  http::Task<void> task_;  // declared last, because its frames use all of the above
};

}  // namespace bellows::http2
