// Forwards a session's requests to upstreams: tries, retries over a fresh connection, and maps
// failures to the end of the exchange. Within proxy/io.
#pragma once

#include <memory>

#include "proxy/io/exchange.hpp"
#include "proxy/io/relay.hpp"

namespace bellows::proxy {

class Session;

/// Owner: the session. Thread: the io thread.
class Forwarder {
 public:
  explicit Forwarder(Session& session) : session_(session) {}

  /// Does what Exchange::forward() does. The arguments must outlive the task.
  http::Task<Result<void>> forward(UpstreamPool& pool, const Endpoint& upstream,
                                   const ForwardOptions& options);

  /// Returns the error of the last forward() after which another upstream may be tried.
  const Error* last_error() const { return last_error_.get(); }
  /// Resets it for a new request.
  void reset() { last_error_.reset(); }

 private:
  IdleCheck idle_check(const ForwardOptions& options) const;
  void abort_upstream(http::Connection& connection, Relay::State state);
  RelayContext relay_context(http::Connection& connection, const Endpoint& upstream,
                             const ForwardOptions& options, TimePoint started);
  bool prepare_wait(Relay& relay, Relay::State state);
  Relay::State resume(Relay& relay);
  bool was_stale(const Relay& relay, Relay::State state) const;

  void complete(const Relay& relay);
  UpstreamPool::LastResponse last_response(const Relay& relay) const;
  http::Task<Result<void>> fail_connect(Error cause, const ForwardOptions& options);
  http::Task<Result<void>> fail_relay(Relay& relay, Relay::State state, std::uint32_t reset_code);
  void note_try(const Relay& relay);
  bool may_send_again(const Relay& relay) const;
  http::Task<Result<void>> reject(Error error);
  TimePoint total_deadline(const ForwardOptions& options) const;

  Session& session_;
  std::unique_ptr<Error> last_error_;  // nullptr: none
};

}  // namespace bellows::proxy
