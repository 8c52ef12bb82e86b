// One request and its answer, as a traffic handler sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "http/core/head.hpp"
#include "http/io/task.hpp"
#include "proxy/core/error_response.hpp"
#include "proxy/core/header_rules.hpp"
#include "proxy/io/upstream_pool.hpp"

namespace bellows::proxy {

class Session;

/// Time limits of one request; zero: none. Before the answer began they end it with 504, or with
/// 408 where the request itself is what did not arrive; after that the downstream is reset: a body
/// that was cut must not look complete (also if it is delimited by close). A tunnel (upgraded
/// connection) is bounded by idle alone.
struct TimeLimits {
  Duration total = Duration::zero();  ///< from the request's arrival on, time in line included
  Duration response_start = Duration::zero();  ///< from forward() until the answer's head
  Duration idle = Duration::zero();            ///< without a byte moved either way
};

/// Looks at the upstream's answer before it goes on.
class ResponseHook {
 public:
  virtual ~ResponseHook() = default;
  /// For the final head (not 1xx). `extra_lines` is sent with it: append lines with CRLF. The head
  /// is good within the call only.
  virtual void on_response_head(const http::ResponseHead& head, std::string& extra_lines) = 0;
};

struct ForwardOptions {
  TimeLimits limits;
  Peer downstream = Peer::kOutside;
  Peer upstream = Peer::kOutside;
  std::string_view upstream_name = {};  ///< culprit of errors: "replica web-1"; empty: its address
  std::string_view extra_request_lines = {};  ///< sent upstream, each with its CRLF
  ResponseHook* hook = nullptr;
};

/// Who made an answer incomplete.
enum class CutBy : std::uint8_t {
  kCaller,    ///< left, or did not read
  kUpstream,  ///< ended or stood still in the middle
  kUs,        ///< we were told to stop
};
inline constexpr std::array<std::string_view, 3> kCutByNames{"caller", "upstream", "us"};

/// What is known about a request once it is over (and, field by field, before).
struct Outcome {
  int status = 0;               ///< sent downstream; 0: none
  bool answered_by_us = false;  ///< answer(), not an upstream's
  bool was_cut = false;         ///< ended with a reset, or the caller left
  CutBy cut_by = CutBy::kUs;    ///< if was_cut
  bool was_upgraded = false;
  /// The inner hop answered, with the word that its app failed and another may be tried.
  bool was_turned_away = false;
  int upstream_tries = 0;                ///< sent over a connection, or refused one
  ErrorKind error = ErrorKind::kSystem;  ///< if has_error
  bool has_error = false;
  std::uint64_t request_bytes = 0;   ///< of the body, read from downstream
  std::uint64_t response_bytes = 0;  ///< of the body, sent downstream
  Duration queued{};                 ///< as told by note_queued()
  Duration time_to_first_byte{};     ///< from arrival to the answer's head
  Duration total{};
};

/// What the handler knows about a request, for the access log.
struct AccessNotes {
  std::string service;
  std::string replica;
  std::string upstream;  ///< its address
  bool is_probe = false;
};

/// Good during RequestHandler::handle() only. Thread: the io thread.
class Exchange {
 public:
  virtual ~Exchange() = default;

  const http::RequestHead& head() const { return head_; }
  TimePoint arrived() const { return arrived_; }
  /// "127.0.0.1:51234".
  std::string_view peer() const { return peer_; }
  /// Memory that the request takes while it is held.
  virtual std::size_t held_bytes() const = 0;
  const Outcome& outcome() const { return outcome_; }
  /// For the access log and X-Bellows-Queue-Ms.
  void note_queued(Duration waited) { outcome_.queued = waited; }
  /// It is refused or answered with an error of this kind.
  void note_failure(ErrorKind kind) {
    outcome_.has_error = true;
    outcome_.error = kind;
  }
  /// To be filled in where there is an access log, and by nobody else: it allocates.
  AccessNotes& make_notes() {
    if (!notes_) notes_ = std::make_unique<AccessNotes>();
    return *notes_;
  }
  /// nullptr: none were made.
  const AccessNotes* notes() const { return notes_.get(); }
  /// The connection's next request begins without any.
  void drop_notes() { notes_.reset(); }

  /// Passes the request to the upstream and its answer back, to the end of both.
  /// Success: answered with the upstream's answer, whatever its status, or tunnelled to the end.
  /// Error with may_retry(): nothing has been answered and the request is whole: forward to another
  /// upstream, or answer. Error without: the matter is settled (an error answered, downstream
  /// reset, or caller gone); the error is for log and count.
  virtual http::Task<Result<void>> forward(UpstreamPool& pool, const Endpoint& upstream,
                                           const ForwardOptions& options) = 0;

  /// Answers for Bellows itself. Once, and not after a forward() that settled the matter.
  virtual http::Task<void> answer(Answer answer) = 0;
  /// answer_for(error).
  http::Task<void> answer(const Error& error);

  /// The caller has closed its connection (or its sending side, which counts as leaving).
  virtual bool hung_up() const = 0;
  /// The server cuts its last connections: leave.
  virtual bool is_stopping() const = 0;
  /// Where this request's task waits, also for things outside of the exchange (see Gate). Whoever
  /// waits here checks hung_up() and is_stopping() each time it is woken.
  virtual http::Waiter& waiter() = 0;
  virtual http::Reactor& reactor() = 0;

 protected:
  http::RequestHead head_;
  TimePoint arrived_{};
  std::string peer_;
  Outcome outcome_;
  std::unique_ptr<AccessNotes> notes_;
};

/// Traffic logic: queue-proxy and activator implement it. Handles many exchanges at a time, on one
/// thread. It waits in the exchange only: forward(), answer(), Gate, wait_for_task(). A task may be
/// destroyed wherever it waits, so what it holds is given back by destructors. When it returns
/// without an answer, the last error of forward() is answered, or 500; nobody if the caller hung
/// up.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  virtual http::Task<void> handle(Exchange& exchange) = 0;
};

}  // namespace bellows::proxy
