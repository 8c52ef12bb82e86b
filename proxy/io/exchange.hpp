// One request and its response for a request handler.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "http/core/head.hpp"
#include "http/io/task.hpp"
#include "proxy/core/header_rules.hpp"
#include "proxy/core/local_reply.hpp"
#include "proxy/core/relay_deadlines.hpp"
#include "proxy/core/request_trace.hpp"
#include "proxy/core/retry_budget.hpp"
#include "proxy/core/span.hpp"
#include "proxy/io/upstream_pool.hpp"

namespace bellows::proxy {

class PortContext;
class Session;

/// Inspects the upstream's response before it is relayed.
class ResponseHook {
 public:
  virtual ~ResponseHook() = default;
  /// Called for the final head (not 1xx). `extra_lines` is sent with it: append lines with CRLF.
  /// The head is valid during the call only.
  virtual void on_response_head(const http::ResponseHead& head, std::string& extra_lines) = 0;
};

struct ForwardOptions {
  TimeLimits limits;
  Peer downstream = Peer::kOutside;
  Peer upstream = Peer::kOutside;
  std::string_view upstream_name = {};  ///< culprit of errors: "replica web-1"; empty: its address
  std::string_view extra_request_lines = {};  ///< sent upstream, each with its CRLF
  ResponseHook* hook = nullptr;
  /// Reason why the upstream was ended, known at the time when the request fails because of that;
  /// nullptr or empty: unknown. It must outlive the request.
  const std::string* ended_because = nullptr;
  UpstreamVersion version = UpstreamVersion::kHttp1;
};

/// The side that left a response incomplete.
enum class AbortedBy : std::uint8_t {
  kDownstream,  ///< disconnected, or did not read
  kUpstream,    ///< disconnected or stalled before the end
  kLocal,       ///< this program stopped
};
inline constexpr std::array<std::string_view, 3> kAbortedByNames{"downstream", "upstream", "local"};

/// The result of a request that has ended (and, field by field, before).
struct Outcome {
  int status = 0;               ///< sent downstream; 0: none
  bool is_local_reply = false;  ///< made by send_local_reply()
  bool was_upgraded = false;
  /// The inner hop reported that its app failed and that another upstream may be tried.
  bool is_retryable_rejection = false;
  /// Ended with a reset, a gRPC call with trailers of Bellows, or a disconnect of downstream.
  std::optional<AbortedBy> aborted_by = {};
  std::optional<ErrorKind> error = {};
  /// Status of a gRPC call, if a head carries it. For a local reply this is what the caller got,
  /// and `status` is what an HTTP caller would get. An app's reply with messages has it in the
  /// trailers.
  std::optional<int> grpc_status = {};
  RetryBudget retries = {};          ///< effect of the failed tries
  int upstream_tries = 0;            ///< sent over a connection, or failed to connect
  std::uint64_t request_bytes = 0;   ///< bytes of the body, read from downstream
  std::uint64_t response_bytes = 0;  ///< bytes of the body, sent downstream
  Duration queued{};                 ///< set by note_queued()
  Duration time_to_first_byte{};     ///< from arrival to the response's head
  Duration total{};
};

/// The handler's information about a request, for the access log and for its span.
struct AccessNotes {
  std::string service;   ///< empty: not known here
  std::string revision;  ///< of it
  std::string replica;
  std::string upstream;  ///< its address
  bool is_probe = false;
  std::vector<TimePart> parts = {};  ///< parts of a cold start
};

/// One request. The session reuses it for each request of the connection. Owner: its session.
struct RequestRecord {
  http::RequestHead head;
  TimePoint arrived{};
  Outcome outcome;
  bool is_grpc_call = false;
  std::optional<Duration> grpc_timeout;  ///< since its arrival, from grpc-timeout
  RequestTrace trace;                    ///< empty unless the server has TraceOptions
  std::string request_id;  ///< generated here, or by the inner hop that responded; usually empty
  std::unique_ptr<AccessNotes> notes;
};

/// The operations of a handler for one request. They are valid during RequestHandler::handle()
/// only. Owner: the session. Thread: the io thread.
class Exchange {
 public:
  Exchange(Session& session, RequestRecord& record, const std::string& peer)
      : session_(session), record_(record), peer_(peer) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const http::RequestHead& head() const { return record_.head; }
  TimePoint arrived() const { return record_.arrived; }
  /// Returns the deadline of a gRPC call (grpc-timeout); TimePoint::max() without one.
  TimePoint call_deadline() const;
  /// Returns the time limit of the request, since its arrival: `configured` (zero: none), or the
  /// caller's grpc-timeout if that is shorter.
  Duration time_limit(Duration configured) const;
  /// Returns the kind of peer that connects to the port of the request; see ProxyServer::listen().
  Peer caller() const;
  /// Returns true for a stream of HTTP/2.
  bool is_http2() const;
  /// Returns true if the client itself uses TLS, to this program or to a trusted proxy before it.
  bool is_https() const;
  /// Returns the context that the program attached to that port, or nullptr.
  const PortContext* port_context() const;
  /// Returns "127.0.0.1:51234", or "unix".
  std::string_view peer() const { return peer_; }
  /// "127.0.0.1", "::1", or "unix".
  std::string_view peer_ip() const;
  /// Returns true if the whole request is in memory, so that it can be sent again whatever happens
  /// to the first try.
  bool is_whole() const;
  /// Returns the memory that the request takes while it is queued.
  std::size_t held_bytes() const;
  /// Moves the bytes of the request to a smaller piece of memory if many requests wait. Call it
  /// before a request waits in a queue, perhaps for long. It invalidates views of the head.
  void pack();
  const Outcome& outcome() const { return record_.outcome; }
  /// Records the time in queues for the access log and X-Bellows-Queue-Ms.
  void note_queued(Duration waited) { record_.outcome.queued = waited; }
  /// Records that the request is rejected or fails with an error of this kind.
  void note_failure(ErrorKind kind) { record_.outcome.error = kind; }
  const RequestTrace& trace() const { return record_.trace; }
  /// Returns 32 digits, or an empty text if the request has no trace. Reads it from the head if the
  /// server did not.
  std::string trace_id() const;
  /// Returns the notes for access log and span. Call it only if one of them exists, because it
  /// allocates.
  AccessNotes& make_notes() {
    if (!record_.notes) record_.notes = std::make_unique<AccessNotes>();
    return *record_.notes;
  }
  /// Returns nullptr if there are none.
  const AccessNotes* notes() const { return record_.notes.get(); }
  /// Drops the notes, so that the connection's next request starts without any.
  void drop_notes() { record_.notes.reset(); }

  /// Relays the request to the upstream and its response back, to the end of both. Success: the
  /// upstream's response was relayed, whatever its status, or the tunnel has ended. Error with
  /// may_retry(): nothing was sent downstream and the request is still complete, so forward it to
  /// another upstream, or send a local reply. Error without may_retry(): the exchange is settled (a
  /// local reply was sent, downstream was reset, or it disconnected), and the error is for the log
  /// and metrics.
  http::Task<Result<void>> forward(UpstreamPool& pool, const Endpoint& upstream,
                                   const ForwardOptions& options);

  /// Sends a response of Bellows itself. Call it once, and not after a forward() that settled the
  /// exchange.
  http::Task<void> send_local_reply(LocalReply reply);
  /// Sends local_reply_for(error).
  http::Task<void> send_local_reply(const Error& error);

  /// Logs the detail of a local reply of the inner hop, which is relayed.
  void log_inner_reply(const http::ResponseHead& response);
  /// Returns X-Request-Id of the request, or the one that Bellows generated for its response, or an
  /// empty text.
  std::string_view request_id() const;

  /// Returns true if downstream has closed its connection, or its sending side, which counts as a
  /// disconnect.
  bool has_hung_up() const;
  /// Returns true if the server aborts its last connections, so that the handler should return.
  bool is_stopping() const;
  /// Returns the place where this request's task waits, also for events outside of the exchange
  /// (see ConcurrencyLimiter). A task that waits here checks has_hung_up() and is_stopping() each
  /// time it is woken.
  http::Waiter& waiter();
  http::Reactor& reactor();

 private:
  Session& session_;
  RequestRecord& record_;
  const std::string& peer_;
};

/// Traffic logic; the queue-proxy and the activator implement it. It handles many exchanges at a
/// time on one thread. It waits only by functions of the exchange: forward(), send_local_reply(),
/// ConcurrencyLimiter, wait_for_task(). A task may be destroyed wherever it waits, so destructors
/// release what it holds. If it returns without a response, the session replies with the last error
/// of forward(), or 500, unless downstream has disconnected.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  virtual http::Task<void> handle(Exchange& exchange) = 0;
};

}  // namespace bellows::proxy
