// One try at passing a request to one upstream connection and the answer back: both directions at
// once, driven by whatever becomes possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/core/head.hpp"
#include "proxy/core/date_line.hpp"
#include "proxy/io/body_pump.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// What a relay works with; all of it outlives the relay.
struct RelayContext {
  http::Reactor& reactor;
  http::Connection& downstream;
  http::Connection& upstream;
  const http::RequestHead& request;
  std::string_view body_in_memory;  ///< what has been read behind the request's head
  const ForwardOptions& options;
  std::string_view client_address;
  bool can_reset_caller;  ///< not on a Unix socket: its end looks the same however it comes
  const Endpoint& upstream_endpoint;
  TimePoint arrived;
  const bool& is_draining;  ///< of the server; may turn true at any time
  Outcome& outcome;
  std::string& scratch;        ///< for heads; anybody's between two calls
  std::string& scratch_lines;  ///< for the hook's lines, likewise
  DateLine& date;
};

/// Owner: the forwarding task. Thread: the io thread.
class Relay {
 public:
  // kMoving -> kMoving | kBusy | any of the ends.
  enum class State : std::uint8_t {
    kMoving,      ///< waits for a connection
    kBusy,        ///< could go on at once, after the others
    kComplete,    ///< answered, to the answer's end (of a tunnel: of both directions)
    kNoAnswer,    ///< failed before a byte of the final answer was sent downstream: error()
    kBroken,      ///< failed within a head or the answer: downstream must be reset: error()
    kCallerLeft,  ///< downstream closed or broke: nobody to answer: error()
    kBadRequest,  ///< the request's body is malformed; nothing was answered yet: error()
  };

  explicit Relay(const RelayContext& context);

  /// Does all that can be done now.
  State advance();
  /// When to call time_out(), as things stand. `started`: when forwarding began.
  TimePoint deadline(TimePoint started);
  /// A deadline passed: kNoAnswer or kBroken; kMoving if it was put off meanwhile; kComplete for a
  /// tunnel that only its silent caller held open.
  State time_out(TimePoint started);

  /// Behind kNoAnswer, kBroken, kCallerLeft and kBadRequest.
  Error take_error() { return std::move(*error_); }
  /// Nothing of the request has reached an application, as far as one can tell, or doing it twice
  /// does no harm, and all of it is still in memory. Not behind a time-out: an app that is slow
  /// would do it twice, and a stale connection closes.
  bool can_repeat() const;
  /// Some of the request has been taken by the upstream's socket.
  bool has_sent() const { return has_sent_; }
  /// An inner hop said that its app could not do it, and that it may be tried again
  /// (X-Bellows-Retry): only by another upstream.
  bool was_turned_away() const { return was_turned_away_; }
  /// Some of the answer, or of an interim one that is still on its way, may have gone out.
  bool has_begun_answer() const {
    return answer_phase_ != Phase::kAwaited || !rest_downstream_.empty();
  }
  /// The upstream connection may carry another request.
  bool can_reuse_upstream() const;
  /// The downstream connection may; valid once complete.
  bool can_reuse_downstream() const { return keeps_downstream_; }
  /// The request's body has been read to its end: the next request follows it.
  bool has_read_request() const { return request_body_.is_read(); }
  /// Bytes that the request's body took from downstream and that follow it (pipelining).
  std::string_view request_surplus() const { return request_body_.surplus(); }
  bool has_pulled_request() const { return request_body_.has_pulled(); }
  std::uint64_t request_bytes() const { return request_body_.bytes(); }
  /// Of the answer's body, taken by downstream's socket.
  std::uint64_t answer_bytes() const { return answer_body_.sent_bytes(); }

 private:
  enum class Phase : std::uint8_t { kAwaited, kPassing, kPassed };  // of the answer; each -> next
  struct Written {
    std::size_t head_bytes = 0;
    bool failed = false;
  };

  State fail_with(State state, ErrorKind kind, std::string message, ErrorSide side);
  static Written write_together(std::string_view head, http::Connection& to, BodyPump& body);
  static bool flush(std::string& rest, http::Connection& to, BodyPump& body, bool& is_broken);

  State write_request();
  State push_request();
  State request_cut();

  State pull_answer();
  void grow_block();
  State read_answer_heads();
  State broken_head(http::HeadFault fault);
  void note_interim();
  State begin_answer();
  State turned_away();
  State begin_answer_body();
  void write_answer_head();
  void begin_tunnel();
  State push_answer();
  State complete();
  State tunnel_half_done();
  void pass_callers_end();
  bool is_half_open() const { return has_passed_end_ || has_passed_callers_end_; }
  State end_half_open();
  bool waits_for_caller() const;
  State caller_left();
  State no_answer(int error);

  RelayContext context_;
  BodyPump request_body_;
  BodyPump answer_body_;
  http::HeadParser parser_;
  http::ResponseHead answer_;
  http::Block block_;  // holds the answer's head, then the start of its body
  std::size_t block_used_ = 0;
  std::string rest_upstream_;  // of heads that did not go out at once; mostly empty
  std::string rest_downstream_;
  std::optional<Error> error_;
  TimePoint last_activity_;  // kept where the idle limit or a half-ended tunnel asks for it
  std::uint64_t activity_mark_ = 0;
  std::uint64_t head_bytes_heard_ = 0;  // of interim answers and the answer's head
  Phase answer_phase_ = Phase::kAwaited;
  bool has_written_request_ = false;
  bool has_sent_ = false;   // some of the request has been taken by the upstream's socket
  bool has_heard_ = false;  // at least a byte has come back
  bool has_timed_out_ = false;
  bool upstream_broken_ = false;  // cannot be written any more; may still have an answer
  bool downstream_broken_ = false;
  bool keeps_downstream_ = false;
  bool keeps_upstream_ = false;
  bool makes_chunks_ = false;
  bool is_tunnel_ = false;
  // Of a tunnel, as soon as one side has ended and the other has been told.
  bool has_passed_end_ = false;  // the upstream's
  bool has_passed_callers_end_ = false;
  bool was_turned_away_ = false;
};

}  // namespace bellows::proxy
