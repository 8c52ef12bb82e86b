// One try to relay a request to one upstream connection and the response back. Both directions
// proceed at once, as far as the connections allow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/core/head.hpp"
#include "proxy/core/body_rate.hpp"
#include "proxy/core/grpc.hpp"
#include "proxy/core/relay_deadlines.hpp"
#include "proxy/core/response_plan.hpp"
#include "proxy/io/delivery_watch.hpp"
#include "proxy/io/exchange.hpp"
#include "proxy/io/message_sender.hpp"
#include "proxy/io/relay_errors.hpp"
#include "proxy/io/response_reader.hpp"
#include "proxy/io/server_state.hpp"
#include "proxy/io/tunnel.hpp"

namespace bellows::proxy {

/// The side that sends the request.
struct RelayDownstream {
  http::Connection& connection;
  RequestRecord& request;
  std::string_view body_in_memory;  ///< read after the request's head
  KeptBody& kept;                   ///< read after that by this and earlier tries
  std::string_view client_address;
  bool is_secure;  ///< received over TLS
  bool trusts_client;
  const Port& port;
  bool is_past_age;  ///< the response is the last of its connection
};

/// The side that receives the request.
struct RelayUpstream {
  http::Connection& connection;
  const Endpoint& endpoint;
  TimePoint forwarded;  ///< call of forward()
};

/// The environment of a relay. All of it outlives the relay.
struct RelayContext {
  ServerState& server;
  RelayDownstream downstream;
  RelayUpstream upstream;
  const ForwardOptions& options;
};

/// Owner: the forwarder. Thread: the io thread.
class Relay {
 public:
  // kMoving -> kMoving | kBusy | any of the ends.
  enum class State : std::uint8_t {
    kMoving,          ///< waits for a connection
    kBusy,            ///< could continue at once, after other sessions had their turn
    kComplete,        ///< the whole response was relayed; for a tunnel: both directions
    kNoResponse,      ///< failed before a byte of the final response was sent: take_error()
    kBroken,          ///< failed within a head or the response; reset downstream: take_error()
    kDownstreamLeft,  ///< downstream closed or failed, so no response can be read: take_error()
    kBadRequest,      ///< the request's body is malformed, and nothing was sent yet: take_error()
  };

  explicit Relay(const RelayContext& context);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// Proceeds as far as possible without waiting.
  State advance();
  /// Returns when to call time_out() if nothing happens until then.
  TimePoint deadline();
  /// Handles a passed deadline. Returns kNoResponse or kBroken; kMoving if a byte was transferred
  /// meanwhile; kComplete for a tunnel that only an idle peer kept half open.
  State time_out();

  /// Returns the error. Valid after kNoResponse, kBroken, kDownstreamLeft and kBadRequest.
  const Error& error() const { return *error_; }
  Error take_error() { return std::move(*error_); }
  /// Returns true if the request may be retried: it never reached the app or is idempotent, and its
  /// body is still buffered. It is false after a timeout.
  bool can_repeat() const;
  /// Returns true if the upstream's socket has accepted some of the request.
  bool has_sent() const { return to_upstream_.has_sent(); }
  /// Returns true if the connection was new and was aborted because none of the request had
  /// arrived.
  bool was_lost() const { return failure_ == Failure::kUndelivered && watch_.has_found_loss(); }
  /// Returns true if an inner hop reported that its app could not serve the request and that
  /// another upstream may be tried (X-Bellows-Retry).
  bool is_retryable_rejection() const { return failure_ == Failure::kRetryableRejection; }
  /// Returns true if the server did not read all of the request: the upstream's kernel reset the
  /// connection before a byte arrived, the peer of an HTTP/2 stream reported it, or nothing was
  /// delivered. A reset of a request with a body does not count, because the server may have read a
  /// part.
  bool was_unread() const {
    return failure_ == Failure::kResetUnread || failure_ == Failure::kUndelivered;
  }
  /// Returns how often the app behind the inner hop may have received the request, for a retryable
  /// rejection.
  int reported_runs() const { return reported_runs_; }
  /// Returns true if some of the response, or of a pending interim one, may have been sent
  /// downstream.
  bool has_begun_response() const {
    return phase_ >= Phase::kRelaying || to_downstream_.has_pending_head();
  }
  /// Returns true if the upstream connection may carry another request.
  bool can_reuse_upstream() const;
  /// Returns how long the upstream promises to keep it then. Valid once complete.
  std::optional<Duration> upstream_keep_alive() const { return plan_.upstream_keep_alive; }
  /// Returns true if the downstream connection may carry another request. Valid once complete.
  bool can_reuse_downstream() const { return plan_.keeps_downstream; }
  /// Returns true if a gRPC call can end with trailers because of `why`, after kBroken or before
  /// the end: its response is whole messages so far, so trailers may state the reason.
  bool can_end_call(ErrorKind why) const;
  /// Appends the part that was not sent downstream yet, and the end of the response with
  /// `trailers`.
  void write_call_end(std::string_view trailers, std::string& out) const;
  /// Returns, once complete, why an inner hop ended the call with trailers; nullopt if it did not.
  std::optional<ErrorKind> inner_end() const { return inner_end_; }
  /// Returns the bytes that were read after the request's body (pipelining).
  std::string_view request_read_ahead() const { return to_upstream_.body().read_ahead(); }
  /// Returns true if this try or an earlier one has read some of the request's body from the
  /// connection.
  bool has_pulled_request() const { return context_.downstream.kept.has_begun(); }
  std::uint64_t request_bytes() const { return to_upstream_.body().bytes(); }
  /// Returns the bytes of the response's body that downstream's socket has accepted.
  std::uint64_t response_bytes() const { return to_downstream_.body().sent_bytes(); }

 private:
  /// Phase of the response.
  enum class Phase : std::uint8_t {
    kAwaited,   ///< no byte has arrived -> kInHead
    kInHead,    ///< -> kRelaying
    kRelaying,  ///< its head was sent or is pending -> kComplete
    kComplete,
  };
  enum class RequestPhase : std::uint8_t { kUnwritten, kWritten };  // kUnwritten -> kWritten
  enum class Failure : std::uint8_t {
    kOther,
    kTimeout,
    kRetryableRejection,
    kResetUnread,
    kUndelivered
  };

  State fail_with(State state, Error error);
  State fail_malformed(State state, const BodyPump& body, ErrorSide side);
  State downstream_left();
  State request_aborted();
  State hung_up();
  bool has_hung_up() const;

  State write_request();
  State push_request();

  State pull_response();
  State relay_heads();
  void append_interim();
  State begin_response();
  State begin_response_body();
  bool is_inner_reply_to_call() const;
  State drop_inner_body();
  LocalReply reply_to_call(std::string_view lines);
  void send_response_head();
  void write_final_head(TimePoint now, http::ResponseHead* parts);
  void write_head_to_call(TimePoint now, http::ResponseHead* parts);
  void note_call_end();
  State push_response();
  void open_tunnel();
  State complete();
  State upstream_ended(int error);
  Failure failure_of_end(int error) const;
  State end_upstream_side();
  State end_half_open();
  State lost();
  /// Returns true if no byte of the response has arrived and the whole request could be sent again.
  bool is_watched() const { return phase_ == Phase::kAwaited && !has_lost_request(); }
  /// Returns true if some of the request's body was read and is not buffered any more.
  bool has_lost_request() const { return context_.downstream.kept.is_lost(); }
  void stop_keeping_request();

  const http::RequestHead& request() const { return context_.downstream.request.head; }
  const RequestRecord& request_record() const { return context_.downstream.request; }
  /// Returns the certificate that the caller presented; empty: none.
  std::string_view client_certificate() const {
    const auto peer = context_.downstream.connection.tls_peer();
    return peer ? peer->certificate : std::string_view();
  }
  RelayStage stage() const;
  RelayTimes times() const;
  void note_activity();
  bool is_request_late() const;
  TimePoint body_deadline();

  RelayContext context_;
  RelayErrors errors_;
  MessageSender to_upstream_;
  MessageSender to_downstream_;
  GrpcMessages messages_;  // messages of the response to a call
  ResponseReader reader_;
  Tunnel tunnel_;
  ResponsePlan plan_;
  std::optional<Error> error_;
  std::optional<ErrorKind> inner_end_;
  TimePoint last_activity_;  // valid where the idle limit or a half-open tunnel needs it
  TimePoint switched_;       // valid for a tunnel
  std::uint64_t activity_mark_ = 0;
  std::optional<BodyRate> body_rate_;
  bool passes_upgrade_ = false;
  bool is_reply_to_call_ = false;  // see is_inner_reply_to_call()
  RequestPhase request_phase_ = RequestPhase::kUnwritten;
  Phase phase_ = Phase::kAwaited;
  Failure failure_ = Failure::kOther;
  std::uint64_t written_before_;  // bytes of earlier requests on the upstream connection
  DeliveryWatch watch_;
  int reported_runs_ = 0;
};

}  // namespace bellows::proxy
