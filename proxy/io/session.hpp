// One downstream connection of HTTP/1.1: its requests, one after the other. Or one stream of
// HTTP/2, with one request. Within proxy/io; handlers see an
// Exchange.
//
//   Session -> RequestHandler::handle(Exchange) -> Exchange -> Forwarder -> Relay
//                                                           -> Session::send_local_reply()
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/io/address.hpp"
#include "http/io/pooled.hpp"
#include "proxy/io/exchange.hpp"
#include "proxy/io/forwarder.hpp"
#include "proxy/io/input_buffer.hpp"
#include "proxy/io/kept_body.hpp"
#include "proxy/io/port.hpp"
#include "proxy/io/server_state.hpp"
#include "proxy/io/waiting_list.hpp"

namespace bellows::proxy {

class Http2Downstream;
class Relay;

/// Owner: ServerState::open, or the Http2Downstream of its stream. Thread: the io thread.
class Session : public WaitingEntry, public http::Pooled {
 public:
  Session(ServerState& server, std::unique_ptr<http::Connection> downstream,
          const http::SocketAddress& peer, PortPtr port, std::string client);
  /// Makes the session of a stream on the connection that `carrier` has accepted.
  Session(Session& carrier, std::unique_ptr<http::Connection> stream, SessionListener& listener);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start();
  /// Wakes the session because the server's state has changed (draining, stopping).
  void wake() { waiter_.wake(); }

  TimePoint accepted() const { return accepted_; }
  /// Returns true if it has not sent a whole request yet.
  bool is_silent() const { return !has_served_; }
  /// Returns since when it waits for its next request. Valid for a session in ServerState::silent
  /// or ::idle.
  TimePoint waits_since() const { return idle_since_; }
  /// Returns the client for which ServerState::clients counts it; empty: none.
  const std::string& client() const { return client_; }
  /// Returns true if a byte of its next request has just arrived and was not read yet.
  bool has_news() { return downstream_ && input_.empty() && !downstream_->is_idle(); }
  /// Closes it to make room for another connection; its task ends when it runs next.
  void replace();
  bool was_replaced() const { return was_replaced_; }
  /// Returns http2::ServerConnection::has_unsent(), for a carrier.
  bool has_unsent() const;

  // Functions of a carrier: a session whose connection turned out to be HTTP/2.
  /// Records that a stream has begun.
  void note_stream();
  /// Records that it has no stream since `since`.
  void wait_for_stream(TimePoint since);

  ServerState::Sessions::iterator place;  ///< in the server's list

  // Functions for the exchange and the forwarder, while a request is handled.
  ServerState& server() { return server_; }
  http::Connection& downstream() { return *downstream_; }
  const std::string& peer() const { return peer_; }
  http::Waiter& waiter() { return waiter_; }
  RequestRecord& record() { return record_; }
  Exchange& exchange() { return exchange_; }
  Forwarder& forwarder() { return forwarder_; }
  std::size_t held_bytes() const {
    return input_.held_bytes() + kept_.view().size() + downstream_->most_unread();
  }
  /// Does what Exchange::pack() does.
  void pack();
  /// Returns the bytes that were read after the request's head.
  std::string_view body_in_memory() const {
    return kept_.is_whole() ? kept_.view() : input_.view().substr(record_.head.size);
  }
  KeptBody& kept_body() { return kept_; }
  /// Returns when its connection reaches its maximum age; see ServerState::end_of_age().
  TimePoint end_of_age() const { return end_of_age_; }
  bool is_past_age() const {
    return end_of_age_ != TimePoint::max() && server_.reactor.now() >= end_of_age_;
  }
  /// Returns the address without its port, for Forwarded.
  std::string_view client_address() const;
  bool is_secure() const { return is_secure_; }
  bool trusts_client() const { return trusts_client_; }
  const Port& port() const { return *port_; }
  Peer caller() const { return port_->callers(); }

  /// Returns true if a response was sent or cannot be sent any more.
  bool is_settled() const { return phase_ == Phase::kSettled; }
  http::Task<void> send_local_reply(LocalReply reply);
  void log_inner_reply(const http::ResponseHead& response);
  /// Settles a complete relay: records where the next request begins and whether the connection is
  /// kept.
  void settle(const Relay& relay);
  /// Ends a settled gRPC call with trailers that name `error`.
  http::Task<void> end_call(const Relay& relay, const Error& error, AbortedBy by);
  /// Leaves the response incomplete: the connection will be reset.
  void abort_exchange(AbortedBy by);

 private:
  /// Phase of the current request.
  enum class Phase : std::uint8_t {
    kNone,     ///< between two requests -> kHandled
    kHandled,  ///< a handler has it, and no response was settled -> kSettled
    kSettled,  ///< -> kNone
  };
  /// The way in which the connection ends.
  enum class Ending : std::uint8_t {
    kClose,   ///< no byte is in transit
    kLinger,  ///< the last response must arrive although the caller may still be sending
    kReset,   ///< the last response must not look complete
  };
  /// The result of waiting for a head.
  enum class HeadStep : std::uint8_t { kComplete, kHttp2, kEnd };

  http::Task<void> run();
  http::Task<void> serve_http2();
  http::Task<HeadStep> read_head();
  const http::HeadLimits& head_limits() const;
  bool has_agreed_on_http2() const;
  void set_head_deadline(bool has_begun);
  bool is_closing() const { return server_.is_closing || port_->state() == PortState::kClosed; }
  bool is_to_close() const;
  http::Task<void> reject_head(LocalReply reply);
  http::Task<void> serve();
  http::Task<void> answer_at_last_hop();
  http::Task<void> answer_unserved();
  bool waits_for_body() const;
  std::optional<LocalReply> reply_if_misdirected() const;
  http::Task<bool> read_small_body();
  http::Task<void> write_out();
  http::Task<void> linger();
  void close();

  void begin_exchange();
  void note_call();
  bool is_told_to_call(const LocalReply& reply) const;
  void end_exchange();
  void count_exchange();
  void withhold_detail_of(LocalReply& reply);
  void log_reply(int status, std::string_view reason, std::string_view detail);
  void plan_after_reply(const LocalReply& reply);
  bool may_keep_alive() const;

  ServerState& server_;
  SessionListener& listener_;
  const TimePoint accepted_;
  const PortPtr port_;
  const TimePoint end_of_age_;
  const std::string peer_;  // "127.0.0.1:51234", or "unix"
  const std::string client_;
  const bool trusts_client_;  // see TrustedProxies
  const bool is_stream_;
  bool may_be_http2_;                             // the first bytes of the connection decide it
  std::unique_ptr<http::Connection> downstream_;  // nullptr: http2_ has it
  const bool is_secure_;                          // the caller speaks TLS
  http::Waiter waiter_;
  InputBuffer input_;
  KeptBody kept_;
  RequestRecord record_;
  Forwarder forwarder_{*this};
  Exchange exchange_{*this, record_, peer_};
  TimePoint idle_since_;
  std::size_t consumed_ = 0;                 // bytes of input_ that the current request takes
  std::unique_ptr<std::string> read_ahead_;  // read after a body that did not come from input_
  int in_a_row_ = 0;                         // requests since the task last waited for one
  Phase phase_ = Phase::kNone;
  Ending ending_ = Ending::kClose;
  bool keeps_alive_ = true;
  bool has_served_ = false;  // at least one request
  bool was_replaced_ = false;
  std::unique_ptr<Http2Downstream> http2_;
  http::Task<void> task_;  // declared last, because its frames use all of the above
};

}  // namespace bellows::proxy
