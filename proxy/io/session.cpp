#include "proxy/io/session.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "proxy/core/max_forwards.hpp"

namespace bellows::proxy {

namespace {

using Kind = http::IoStep::Kind;

constexpr Duration kLingerTime = std::chrono::seconds(2);
constexpr std::size_t kLingerBytes = std::size_t{1024} * 1024;
constexpr Duration kAnswerTime = std::chrono::seconds(10);  // for a small answer of our own
// Requests that had arrived together, before other connections get their turn: well below a
// millisecond if each is answered here. Each also costs stack until the task waits.
constexpr int kInARow = 32;
// A connection that has only just been made when the server closes may still say what it came for.
constexpr Duration kJustCome = std::chrono::milliseconds(500);

bool is_cancelled_by_us(const Outcome& outcome) {
  const bool did_caller_leave = outcome.was_cut && outcome.cut_by == CutBy::kCaller;
  return outcome.has_error && outcome.error == ErrorKind::kCancelled && !did_caller_leave;
}

}  // namespace

Session::Session(ServerState& server, http::UniqueFd socket, const http::SocketAddress& peer)
    : server_(server),
      downstream_(server.reactor, std::move(socket)),
      waiter_(server.reactor),
      input_(server.reactor.buffers()),
      parser_(server.options.head) {
  peer_ = http::address_text(peer);
  downstream_.set_waiter(&waiter_);
  ++server_.counters.connections;
  ++server_.counters.open_connections;
}

Session::~Session() {
  // A task that is destroyed while it waits has not come to this itself.
  if (is_in_exchange_) {
    outcome_.was_cut = true;
    outcome_.cut_by = CutBy::kUs;
    note_failure(ErrorKind::kCancelled);
    count_exchange();
  }
  --server_.counters.open_connections;
  if (ending_ == Ending::kReset || is_in_exchange_) downstream_.abort();
}

void Session::start() {
  task_ = run();
  task_.start();
}

std::string_view Session::client_address() const {
  if (is_on_unix_socket()) return "unknown";  // RFC 7239 6.2
  const std::string_view peer = peer_;
  if (peer.starts_with('[')) return peer.substr(1, peer.find(']') - 1);
  return peer.substr(0, peer.rfind(':'));
}

http::Task<void> Session::run() {
  while (downstream_.is_open() && keeps_alive_ && !server_.is_cutting) {
    // g++ 12 compiles a co_await inside of a compound condition to nothing.
    const HeadStep step = co_await read_head();
    if (step == HeadStep::kEnd) break;
    begin_exchange();
    co_await serve();
    end_exchange();
    if (++in_a_row_ < kInARow) continue;
    in_a_row_ = 0;
    waiter_.wake();
    co_await waiter_.wait();
  }
  if (ending_ == Ending::kLinger) co_await linger();
  if (ending_ == Ending::kReset) {
    downstream_.abort();
  } else {
    downstream_.close();
  }
  server_.session_ended(*this);
}

/// Waits for the next request. kEnd: there will be none; a refusal has been answered.
http::Task<Session::HeadStep> Session::read_head() {
  parser_.reset();
  const TimePoint idle_since = server_.reactor.now();
  bool has_begun = false;
  for (;;) {
    if (!input_.empty()) {
      const http::HeadResult result = parser_.read(input_.view(), head_);
      if (result.is_complete()) co_return HeadStep::kComplete;
      if (result.is_fault()) {
        Answer refusal =
            answer_for(result.fault(), server_.options.head, server_.options.head_settings);
        co_await refuse(std::move(refusal));
        co_return HeadStep::kEnd;
      }
      if (parser_.has_only_empty_line(input_.view())) {
        input_.clear();
        has_begun = false;
      }
    }
    const http::IoStep step = input_.fill(downstream_);
    if (step.kind == Kind::kBytes) continue;
    if (step.kind != Kind::kWouldBlock || server_.is_cutting) co_return HeadStep::kEnd;
    if (input_.empty() && is_to_close(idle_since)) co_return HeadStep::kEnd;
    if (!input_.empty() && !has_begun) {
      has_begun = true;
      waiter_.set_deadline(server_.reactor.now() + server_.options.header_timeout);
    } else if (!has_begun) {
      const bool is_just_come = server_.is_closing && !has_served_;
      waiter_.set_deadline(idle_since +
                           (is_just_come ? kJustCome : server_.options.keep_alive_timeout));
    }
    in_a_row_ = 0;
    co_await waiter_.wait();
    if (!waiter_.is_overdue()) continue;
    if (has_begun) {
      Answer refusal = answer_for(Error(ErrorKind::kTimeout, "request",
                                        "its head did not arrive in time", ErrorSide::kDownstream));
      co_await refuse(std::move(refusal));
    }
    co_return HeadStep::kEnd;
  }
}

/// Of a connection that has said nothing since.
bool Session::is_to_close(TimePoint idle_since) const {
  if (has_served_) return server_.is_draining || server_.is_closing;
  return server_.is_closing && server_.reactor.now() >= idle_since + kJustCome;
}

/// For what never became a request; the connection ends with it.
http::Task<void> Session::refuse(Answer refusal) {
  ++server_.counters.refused_heads[refusal.status];
  keeps_alive_ = false;
  ending_ = Ending::kLinger;
  server_.scratch.clear();
  write_answer(refusal, false, false, server_.date_line(), server_.scratch);
  co_await write_out();
}

void Session::begin_exchange() {
  arrived_ = server_.reactor.now();
  outcome_ = {};
  last_error_.reset();
  consumed_ = head_.size;
  is_settled_ = false;
  is_in_exchange_ = true;
  has_served_ = true;
  waiter_.clear_deadline();
  ++server_.counters.requests;
  ++server_.counters.in_flight;
}

http::Task<void> Session::serve() {
  if (counts_hops(head_)) {
    if (std::optional<Answer> last = answer_as_last_hop(head_)) {
      co_return co_await answer(std::move(*last));
    }
  }
  co_await server_.handler.handle(*this);
  if (is_settled_) co_return;
  if (hung_up()) co_return leave_unanswered();
  const Error error = last_error_
                          ? *last_error_
                          : Error(ErrorKind::kSystem, "handler", "it ended without an answer");
  co_await answer(error);
}

/// Nobody is there to be answered: no status, for the log and the metrics too.
void Session::leave_unanswered() {
  note_failure(ErrorKind::kCancelled);
  cut(CutBy::kCaller);
}

void Session::end_exchange() {
  is_in_exchange_ = false;
  count_exchange();
  if (surplus_) {
    input_.assign(*surplus_);
    surplus_.reset();
  } else {
    input_.consume(consumed_);
  }
  server_.exchange_ended();
}

void Session::count_exchange() {
  outcome_.total = server_.reactor.now() - arrived_;
  ProxyCounters& counters = server_.counters;
  --counters.in_flight;
  ++counters.by_class[std::clamp(outcome_.status / 100, 0, 5)];
  if (outcome_.answered_by_us) ++counters.answered_by_us;
  if (outcome_.was_cut) ++counters.cut[static_cast<std::size_t>(outcome_.cut_by)];
  if (outcome_.was_upgraded) ++counters.upgrades;
  if (server_.is_cutting && is_cancelled_by_us(outcome_)) ++counters.stopped;
  if (server_.observer) server_.observer(*this, outcome_);
}

bool Session::may_keep_alive() const {
  return head_.keeps_alive() && !server_.is_draining && !server_.is_cutting;
}

http::Task<void> Session::answer(Answer answer) {
  CHECK(!is_settled_, "a request is answered once");
  is_settled_ = true;
  outcome_.status = answer.status;
  outcome_.answered_by_us = true;
  outcome_.time_to_first_byte = server_.reactor.now() - arrived_;
  // What has been read of the body counts; waiting for the rest would let the caller decide how
  // long, so the connection ends instead.
  BodyPump body(server_.reactor);
  if (!answer.close) {
    body.begin(http::request_body(head_), input_.view().substr(head_.size));
    consumed_ = head_.size + body.bytes();
    keeps_alive_ = body.is_read() && !surplus_ && may_keep_alive();
  } else {
    keeps_alive_ = false;
  }
  if (!keeps_alive_) ending_ = Ending::kLinger;
  // HTTP/1.0 takes the end for granted unless it is told.
  if (keeps_alive_ && head_.minor_version == 0) answer.extra_lines += "Connection: keep-alive\r\n";
  server_.scratch.clear();
  const bool for_head = head_.method == "HEAD";
  write_answer(answer, for_head, keeps_alive_, server_.date_line(), server_.scratch);
  if (!for_head && answer.status != 204) outcome_.response_bytes = answer.body.size();
  co_await write_out();
}

/// Sends the scratch, whatever the caller's pace, within a time limit.
http::Task<void> Session::write_out() {
  const http::IoStep first = downstream_.try_write(server_.scratch);
  if (first.kind == Kind::kBytes && first.bytes == server_.scratch.size()) co_return;
  const std::string rest = server_.scratch.substr(first.bytes);
  std::string_view left = rest;
  waiter_.set_deadline(server_.reactor.now() + kAnswerTime);
  http::IoStep step = first;
  while (!left.empty() && step.kind != Kind::kFailed && !waiter_.is_overdue() &&
         !server_.is_cutting) {
    step = downstream_.try_write(left);
    if (step.kind == Kind::kBytes) left.remove_prefix(step.bytes);
    if (step.kind == Kind::kWouldBlock) co_await waiter_.wait();
  }
  waiter_.clear_deadline();
  if (left.empty()) co_return;
  keeps_alive_ = false;
  ending_ = Ending::kReset;
  outcome_.was_cut = true;
  outcome_.cut_by = server_.is_cutting ? CutBy::kUs : CutBy::kCaller;
  outcome_.response_bytes -= std::min<std::uint64_t>(outcome_.response_bytes, left.size());
}

/// Closing while the caller still sends would reset the connection, and with it the answer that is
/// on its way (RFC 9112 9.6): say the end, and read on for a while.
http::Task<void> Session::linger() {
  downstream_.shutdown_write();
  waiter_.set_deadline(server_.reactor.now() + kLingerTime);
  std::size_t read = 0;
  input_.clear();
  while (!waiter_.is_overdue() && !server_.is_cutting && read < kLingerBytes) {
    const http::IoStep step = input_.fill(downstream_);
    if (step.kind == Kind::kEnd || step.kind == Kind::kFailed) break;
    if (step.kind == Kind::kWouldBlock) co_await waiter_.wait();
    read += step.bytes;
    input_.clear();
  }
}

}  // namespace bellows::proxy
