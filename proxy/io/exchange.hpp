// One request and its response, as a request handler sees it.
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

/// Looks at the upstream's response before it is relayed.
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
  /// Why the upstream was ended, as it is when the request fails because of that; nullptr or
  /// empty: nobody knows. Outlives the request.
  const std::string* ended_because = nullptr;
  UpstreamVersion version = UpstreamVersion::kHttp1;
};

/// Who left a response incomplete.
enum class AbortedBy : std::uint8_t {
  kDownstream,  ///< left, or did not read
  kUpstream,    ///< ended or sent nothing more in the middle of it
  kLocal,       ///< this program was stopped
};
inline constexpr std::array<std::string_view, 3> kAbortedByNames{"downstream", "upstream", "local"};

/// What is known about a request once it has ended (and, field by field, before).
struct Outcome {
  int status = 0;               ///< sent downstream; 0: none
  bool is_local_reply = false;  ///< by send_local_reply(), not an upstream's response
  bool was_upgraded = false;
  /// The inner hop reported that its app failed and that another upstream may be tried.
  bool is_retryable_rejection = false;
  /// Ended with a reset, or a call by gRPC with trailers of Bellows; or downstream left.
  std::optional<AbortedBy> aborted_by = {};
  std::optional<ErrorKind> error = {};
  /// Of a call by gRPC, as far as a head tells it: `status` of a local reply is what HTTP callers
  /// get, and this what the caller got. Of an app's reply with messages it is in the trailers.
  std::optional<int> grpc_status = {};
  RetryBudget retries = {};          ///< what the failed tries did
  int upstream_tries = 0;            ///< sent over a connection, or failed to connect
  std::uint64_t request_bytes = 0;   ///< of the body, read from downstream
  std::uint64_t response_bytes = 0;  ///< of the body, sent downstream
  Duration queued{};                 ///< set by note_queued()
  Duration time_to_first_byte{};     ///< from arrival to the response's head
  Duration total{};
};

/// What the handler knows about a request, for the access log and for its span.
struct AccessNotes {
  std::string service;
  std::string replica;
  std::string upstream;  ///< its address
  bool is_probe = false;
  std::vector<TimePart> parts = {};  ///< of a cold start
};

/// One request. Owner: its session, which fills it in again for each request of the connection.
struct RequestRecord {
  http::RequestHead head;
  TimePoint arrived{};
  Outcome outcome;
  bool is_grpc_call = false;
  std::optional<Duration> grpc_timeout;  ///< since its arrival, as the caller asks
  RequestTrace trace;                    ///< empty unless the server has TraceOptions
  std::string request_id;  ///< made here, or by the inner hop that responded; usually empty
  std::unique_ptr<AccessNotes> notes;
};

/// The functions that a handler has for one request. They are valid during RequestHandler::handle()
/// only. Owner: the session. Thread: the io thread.
class Exchange {
 public:
  Exchange(Session& session, RequestRecord& record, const std::string& peer)
      : session_(session), record_(record), peer_(peer) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const http::RequestHead& head() const { return record_.head; }
  TimePoint arrived() const { return record_.arrived; }
  /// When the caller of a gRPC call gives up (grpc-timeout); TimePoint::max(): it does not say.
  TimePoint call_deadline() const;
  /// The time limit of the request, since its arrival: `configured` (zero: none), or what the
  /// caller of a gRPC call says if that is shorter.
  Duration time_limit(Duration configured) const;
  /// Who connects to the port that the request came by: see ProxyServer::listen().
  Peer caller() const;
  /// It is a stream of a connection of HTTP/2.
  bool is_http2() const;
  /// The client itself speaks TLS, here or at a trusted proxy before this program.
  bool is_https() const;
  /// What the program attached to that port; nullptr: nothing.
  const PortContext* port_context() const;
  /// "127.0.0.1:51234", or "unix".
  std::string_view peer() const { return peer_; }
  /// "127.0.0.1", "::1", or "unix".
  std::string_view peer_ip() const;
  /// All of the request is in memory: it can be sent again whatever becomes of the first try.
  bool is_whole() const;
  /// Memory that the request takes while it is queued.
  std::size_t held_bytes() const;
  /// Before the request waits in a queue, perhaps for long: where many do, its bytes move to a
  /// smaller piece of memory. Views of its head are void.
  void pack();
  const Outcome& outcome() const { return record_.outcome; }
  /// For the access log and X-Bellows-Queue-Ms.
  void note_queued(Duration waited) { record_.outcome.queued = waited; }
  /// The request is rejected or fails with an error of this kind.
  void note_failure(ErrorKind kind) { record_.outcome.error = kind; }
  const RequestTrace& trace() const { return record_.trace; }
  /// 32 digits; empty: the request has no trace. Reads it from the head if the server did not.
  std::string trace_id() const;
  /// The notes for access log and span. Call it only if there is one of them: it allocates.
  AccessNotes& make_notes() {
    if (!record_.notes) record_.notes = std::make_unique<AccessNotes>();
    return *record_.notes;
  }
  /// nullptr if there are none.
  const AccessNotes* notes() const { return record_.notes.get(); }
  /// The connection's next request starts without notes.
  void drop_notes() { record_.notes.reset(); }

  /// Relays the request to the upstream and its response back, to the end of both.
  /// Success: the upstream's response was relayed, whatever its status, or the tunnel has ended.
  /// Error with may_retry(): nothing was sent downstream and the request is still complete: forward
  /// to another upstream, or send a local reply. Error without: the exchange is settled (a local
  /// reply was sent, downstream was reset, or it left); the error is for the log and metrics.
  http::Task<Result<void>> forward(UpstreamPool& pool, const Endpoint& upstream,
                                   const ForwardOptions& options);

  /// Sends a response of Bellows itself. Once, and not after a forward() that settled the exchange.
  http::Task<void> send_local_reply(LocalReply reply);
  /// Sends local_reply_for(error).
  http::Task<void> send_local_reply(const Error& error);

  /// The inner hop responds itself, and this response is relayed: logs its detail.
  void log_inner_reply(const http::ResponseHead& response);
  /// X-Request-Id of the request, or the one that Bellows made for its response; empty: neither.
  std::string_view request_id() const;

  /// Downstream has closed its connection (or its sending side, which counts as leaving).
  bool has_hung_up() const;
  /// The server aborts its last connections: return.
  bool is_stopping() const;
  /// Where this request's task waits, also for events outside of the exchange (see
  /// ConcurrencyLimiter). A task that waits here checks has_hung_up() and is_stopping() each time
  /// it is woken.
  http::Waiter& waiter();
  http::Reactor& reactor();

 private:
  Session& session_;
  RequestRecord& record_;
  const std::string& peer_;
};

/// Traffic logic; the queue-proxy and the activator implement it. Handles many exchanges at a time
/// on one thread. It waits by functions of the exchange only: forward(), send_local_reply(),
/// ConcurrencyLimiter, wait_for_task(). A task may be destroyed wherever it waits, so destructors
/// release what it holds. If it returns without a response, the session replies with the last error
/// of forward(), or 500, unless downstream has hung up.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  virtual http::Task<void> handle(Exchange& exchange) = 0;
};

}  // namespace bellows::proxy
