#include "proxy/io/relay.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "http/core/mend.hpp"

namespace bellows::proxy {

namespace {

using Kind = http::IoStep::Kind;
using Status = BodyPump::Status;

/// Reads of interim answers in a row before the others get their turn.
constexpr int kTurns = 4;
/// How long a tunnel of which one side has ended waits for a byte of the other.
constexpr Duration kHalfOpen = std::chrono::seconds(10);

bool may_be_mended(http::HeadFault fault) {
  return fault == http::HeadFault::kObsoleteFolding || fault == http::HeadFault::kSpaceBeforeColon;
}

/// A 101 names a protocol, and every one that it names was among those that the request offered.
bool was_asked_for(const http::RequestHead& request, const http::ResponseHead& answer) {
  if (!request.asks_upgrade()) return false;
  bool is_any = false;
  bool are_all = true;
  http::for_each_upgrade(answer.fields, [&](std::string_view chosen) {
    is_any = true;
    bool is_offered = false;
    http::for_each_upgrade(request.fields, [&](std::string_view offered) {
      is_offered |= http::equals_any_case(offered, chosen);
    });
    are_all &= is_offered;
  });
  return is_any && are_all;
}

/// An inner hop has held its app to the limits and adds lines of its own to what passed.
http::HeadLimits answer_limits(const ForwardOptions& options) {
  return options.upstream == Peer::kInside ? http::kLargestHead : http::HeadLimits{};
}

}  // namespace

Relay::Relay(const RelayContext& context)
    : context_(context),
      request_body_(context.reactor),
      answer_body_(context.reactor, http::SizeBlanks::kTaken),
      parser_(answer_limits(context.options)) {
  if (context.options.limits.idle > Duration::zero()) last_activity_ = context.reactor.now();
}

Relay::State Relay::fail_with(State state, ErrorKind kind, std::string message, ErrorSide side) {
  // Part of an interim head is out: whatever came next would be read as more of it.
  const bool is_in_interim = answer_phase_ == Phase::kAwaited && !rest_downstream_.empty();
  if (is_in_interim && state != State::kCallerLeft) state = State::kBroken;
  std::string culprit = "downstream";
  if (side != ErrorSide::kDownstream) {
    const std::string_view name = context_.options.upstream_name;
    culprit = name.empty() ? to_string(context_.upstream_endpoint) : std::string(name);
  }
  error_.emplace(kind, std::move(culprit), std::move(message), side);
  return state;
}

Relay::State Relay::advance() {
  if (!has_written_request_) {
    if (const State state = write_request(); state != State::kMoving) return state;
  }
  if (!is_tunnel_ && request_body_.is_read() && context_.downstream.peer_left()) {
    return fail_with(State::kCallerLeft, ErrorKind::kCancelled, "hung up before it was answered",
                     ErrorSide::kDownstream);
  }
  // An end waits for the bytes in front of it; a reset has no use for them, whoever still has some.
  if (context_.downstream.was_reset()) return request_cut();
  const State request = push_request();
  if (request != State::kMoving && request != State::kBusy) return request;
  const bool was_tunnel = is_tunnel_;
  const State answer = answer_phase_ == Phase::kAwaited ? pull_answer() : push_answer();
  if (answer != State::kMoving) return answer;
  // What came behind the request is the tunnel's first bytes.
  return is_tunnel_ && !was_tunnel ? State::kBusy : request;
}

Relay::State Relay::write_request() {
  has_written_request_ = true;
  const Status status =
      request_body_.begin(http::request_body(context_.request), context_.body_in_memory);
  if (status == Status::kMalformed) {
    return fail_with(State::kBadRequest, ErrorKind::kMalformed,
                     std::string(http::fault_text(request_body_.fault())), ErrorSide::kDownstream);
  }
  std::string& head = context_.scratch;
  head.clear();
  const HeaderRules rules{.downstream = context_.options.downstream,
                          .upstream = context_.options.upstream,
                          .client_address = context_.client_address,
                          .extra_lines = context_.options.extra_request_lines};
  write_request_head(context_.request, rules, context_.request.asks_upgrade(), head);
  const Written written = write_together(head, context_.upstream, request_body_);
  upstream_broken_ = written.failed;
  has_sent_ = written.head_bytes > 0;
  rest_upstream_.assign(head, written.head_bytes);
  return State::kMoving;
}

/// Sends a head and what is in memory of the body behind it with one call.
Relay::Written Relay::write_together(std::string_view head, http::Connection& to, BodyPump& body) {
  const std::string_view unsent = body.unsent();
  const iovec parts[2] = {{const_cast<char*>(head.data()), head.size()},       // NOLINT: only read
                          {const_cast<char*>(unsent.data()), unsent.size()}};  // NOLINT: only read
  const http::IoStep step = to.try_write(parts, unsent.empty() ? 1 : 2);
  if (step.kind != Kind::kBytes) return {0, step.kind == Kind::kFailed};
  const std::size_t of_head = std::min(step.bytes, head.size());
  body.note_sent(step.bytes - of_head);
  return {of_head, false};
}

/// True once nothing is left of a head that did not go out at once.
bool Relay::flush(std::string& rest, http::Connection& to, BodyPump& body, bool& is_broken) {
  if (rest.empty() || is_broken) return !is_broken;
  const Written written = write_together(rest, to, body);
  rest.erase(0, written.head_bytes);
  is_broken = written.failed;
  return rest.empty() && !is_broken;
}

Relay::State Relay::push_request() {
  if (request_body_.is_complete() && rest_upstream_.empty()) return State::kMoving;
  // An upstream that takes no more may still have something to say.
  if (!flush(rest_upstream_, context_.upstream, request_body_, upstream_broken_)) {
    return State::kMoving;
  }
  has_sent_ = true;
  const Status status = request_body_.step(context_.downstream, context_.upstream);
  switch (status) {
    case Status::kMoving:
      return State::kMoving;
    case Status::kBusy:
      return State::kBusy;
    case Status::kComplete:
      if (is_tunnel_) pass_callers_end();
      return State::kMoving;
    case Status::kSinkFailed:
      upstream_broken_ = true;
      return State::kMoving;
    case Status::kMalformed:
      return fail_with(answer_phase_ == Phase::kAwaited ? State::kBadRequest : State::kBroken,
                       ErrorKind::kMalformed, std::string(http::fault_text(request_body_.fault())),
                       ErrorSide::kDownstream);
    case Status::kSourceEnded:
    case Status::kSourceFailed:
      break;
  }
  return request_cut();
}

Relay::State Relay::request_cut() {
  return fail_with(State::kCallerLeft, ErrorKind::kReset, "closed in the middle of its request",
                   ErrorSide::kDownstream);
}

Relay::State Relay::pull_answer() {
  if (!flush(rest_downstream_, context_.downstream, answer_body_, downstream_broken_)) {
    return downstream_broken_ ? caller_left() : State::kMoving;
  }
  // Interim heads that wait for their reader are a block's at the most.
  for (int turn = 0; rest_downstream_.empty() && context_.upstream.is_readable(); ++turn) {
    if (turn == kTurns) return State::kBusy;
    if (!block_) block_ = context_.reactor.buffers().take(http::BufferPool::kHead);
    if (block_used_ == block_.size()) grow_block();
    const http::IoStep got =
        context_.upstream.try_read(block_.data() + block_used_, block_.size() - block_used_);
    if (got.kind == Kind::kEnd) return no_answer(0);
    if (got.kind == Kind::kFailed) return no_answer(got.error);
    if (got.kind == Kind::kWouldBlock && upstream_broken_) return no_answer(EPIPE);
    if (got.kind == Kind::kWouldBlock) break;
    has_heard_ = true;
    block_used_ += got.bytes;
    head_bytes_heard_ += got.bytes;
    if (const State state = read_answer_heads(); state != State::kMoving) return state;
    if (answer_phase_ != Phase::kAwaited) return push_answer();
  }
  if (block_used_ == 0) block_.give_back();
  return State::kMoving;
}

/// The largest head is below the larger block, so that one step is enough.
void Relay::grow_block() {
  http::Block larger = context_.reactor.buffers().take(http::BufferPool::kBody);
  std::memcpy(larger.data(), block_.data(), block_used_);
  block_ = std::move(larger);
}

/// Interim answers go on as they come, those of one read together; the final one begins the answer.
Relay::State Relay::read_answer_heads() {
  for (;;) {
    const http::HeadResult result = parser_.read({block_.data(), block_used_}, answer_);
    if (result.is_fault() && may_be_mended(result.fault()) &&
        http::mend_response_head({block_.data(), block_used_})) {
      parser_.reset();
      continue;
    }
    if (result.is_complete() && answer_.is_interim()) {
      note_interim();
      block_used_ -= answer_.size;
      std::memmove(block_.data(), block_.data() + answer_.size, block_used_);
      parser_.reset();
      continue;
    }
    flush(rest_downstream_, context_.downstream, answer_body_, downstream_broken_);
    if (downstream_broken_) return caller_left();
    if (result.is_fault()) return broken_head(result.fault());
    return result.is_complete() ? begin_answer() : State::kMoving;
  }
}

/// One that is merely too large speaks against no replica, and so is not malformed.
Relay::State Relay::broken_head(http::HeadFault fault) {
  const std::string limit = limit_text(fault, answer_limits(context_.options), {});
  const bool is_too_large = !limit.empty();
  const std::string_view what = is_too_large ? "too large a head: " : "a broken head: ";
  return fail_with(
      State::kNoAnswer, is_too_large ? ErrorKind::kTooLarge : ErrorKind::kMalformed,
      "answered with " + std::string(what) + std::string(http::fault_text(fault)) + limit,
      ErrorSide::kUpstream);
}

/// Adds it to what goes downstream next.
void Relay::note_interim() {
  if (context_.request.minor_version == 0) return;
  if (answer_.status == 100 && !context_.request.expects_continue) return;
  std::string& head = context_.scratch;
  head.clear();
  write_response_head(answer_,
                      {.downstream = context_.options.downstream,
                       .upstream = context_.options.upstream,
                       .extra_lines = {}},
                      head);
  rest_downstream_ += head;
}

Relay::State Relay::begin_answer() {
  if (context_.options.upstream == Peer::kInside && !request_body_.has_pulled() &&
      answer_.fields.find("x-bellows-retry")) {
    return turned_away();
  }
  if (answer_.status == 101) {
    if (!was_asked_for(context_.request, answer_) || !request_body_.is_complete()) {
      return fail_with(State::kNoAnswer, ErrorKind::kMalformed,
                       "switched protocols without being asked to", ErrorSide::kUpstream);
    }
    is_tunnel_ = true;
  }
  if (const State state = begin_answer_body(); state != State::kMoving) return state;
  write_answer_head();
  if (is_tunnel_) begin_tunnel();
  return State::kMoving;
}

Relay::State Relay::turned_away() {
  was_turned_away_ = true;
  const auto reason = answer_.fields.find("x-bellows-reason");
  const bool was_reached =
      reason == to_string(ErrorKind::kReset) || reason == to_string(ErrorKind::kCancelled);
  return fail_with(
      State::kNoAnswer, was_reached ? ErrorKind::kReset : ErrorKind::kRefused,
      was_reached ? "its app closed before it answered" : "its app could not be reached",
      ErrorSide::kUpstream);
}

Relay::State Relay::begin_answer_body() {
  const http::BodyFraming framing = is_tunnel_
                                        ? http::BodyFraming{http::BodyEnd::kClose}
                                        : http::response_body(answer_, context_.request.method);
  // HTTP/1.0 knows no chunks: its caller gets the data alone, and the connection's end ends them.
  const bool unchunks =
      framing.end == http::BodyEnd::kChunked && context_.request.minor_version == 0;
  makes_chunks_ = framing.end == http::BodyEnd::kClose && !is_tunnel_ &&
                  !context_.can_reset_caller && context_.request.minor_version > 0;
  const std::span<char> first(block_.data() + answer_.size, block_used_ - answer_.size);
  const std::string_view text(first.data(), first.size());
  const Status status = unchunks        ? answer_body_.begin_unchunked(first)
                        : makes_chunks_ ? answer_body_.begin_in_chunks(text)
                                        : answer_body_.begin(framing, text);
  if (status == Status::kMalformed) {
    return fail_with(State::kNoAnswer, ErrorKind::kMalformed,
                     std::string(http::fault_text(answer_body_.fault())), ErrorSide::kUpstream);
  }
  keeps_downstream_ = context_.request.keeps_alive() && !context_.is_draining &&
                      (framing.end != http::BodyEnd::kClose || makes_chunks_) && !unchunks &&
                      request_body_.is_complete();
  keeps_upstream_ = framing.end != http::BodyEnd::kClose && answer_.keeps_alive();
  return State::kMoving;
}

void Relay::write_answer_head() {
  std::string& extra_lines = context_.scratch_lines;
  extra_lines.clear();
  if (context_.options.hook != nullptr) {
    context_.options.hook->on_response_head(answer_, extra_lines);
  }
  const TimePoint now = context_.reactor.now();
  std::string& head = context_.scratch;
  head.clear();
  write_response_head(answer_,
                      {.downstream = context_.options.downstream,
                       .upstream = context_.options.upstream,
                       .downstream_minor_version = context_.request.minor_version,
                       .keep_alive = keeps_downstream_,
                       .is_upgrade = is_tunnel_,
                       .makes_chunks = makes_chunks_,
                       .extra_lines = extra_lines,
                       .date_line = context_.date.at(now, context_.reactor.clock())},
                      head);
  answer_phase_ = Phase::kPassing;
  context_.outcome.status = answer_.status;
  context_.outcome.time_to_first_byte = now - context_.arrived;
  if (!rest_downstream_.empty()) {  // behind an interim answer that is still on its way
    rest_downstream_ += head;
    return;
  }
  const Written written = write_together(head, context_.downstream, answer_body_);
  downstream_broken_ = written.failed;
  rest_downstream_.assign(head, written.head_bytes);
}

/// From here on the request's direction is a stream of bytes that ends with the connection.
void Relay::begin_tunnel() {
  context_.outcome.was_upgraded = true;
  const std::string_view first = request_body_.surplus();
  request_body_.begin({http::BodyEnd::kClose}, first);
}

Relay::State Relay::push_answer() {
  if (!flush(rest_downstream_, context_.downstream, answer_body_, downstream_broken_)) {
    return downstream_broken_ ? caller_left() : State::kMoving;
  }
  const Status status = answer_body_.step(context_.upstream, context_.downstream);
  if (answer_body_.unsent().empty()) block_.give_back();
  switch (status) {
    case Status::kMoving:
      return State::kMoving;
    case Status::kBusy:
      return State::kBusy;
    case Status::kComplete:
      return is_tunnel_ ? tunnel_half_done() : complete();
    case Status::kSinkFailed:
      return caller_left();
    case Status::kMalformed:
      return fail_with(State::kBroken, ErrorKind::kMalformed,
                       std::string(http::fault_text(answer_body_.fault())), ErrorSide::kUpstream);
    case Status::kSourceEnded:
    case Status::kSourceFailed:
      break;
  }
  return fail_with(State::kBroken, ErrorKind::kReset, "closed in the middle of its answer",
                   ErrorSide::kUpstream);
}

Relay::State Relay::complete() {
  answer_phase_ = Phase::kPassed;
  return State::kComplete;
}

/// The caller has said all: the upstream hears so, and may finish as long as it says something.
void Relay::pass_callers_end() {
  context_.upstream.shutdown_write();
  has_passed_callers_end_ = true;
  last_activity_ = context_.reactor.now();
}

/// The upstream has said all: downstream hears so, and may finish as long as it says something.
Relay::State Relay::tunnel_half_done() {
  // Once: it makes the socket ready, and so would call for itself for ever.
  if (!std::exchange(has_passed_end_, true)) {
    context_.downstream.shutdown_write();
    last_activity_ = context_.reactor.now();
  }
  return request_body_.is_complete() || upstream_broken_ ? complete() : State::kMoving;
}

/// Nobody said anything more. What was said before must have reached the other side.
Relay::State Relay::end_half_open() {
  if (!answer_body_.unsent().empty()) return caller_left();
  if (request_body_.unsent().empty()) return complete();
  return fail_with(State::kBroken, ErrorKind::kTimeout, "took no more after it had ended",
                   ErrorSide::kUpstream);
}

Relay::State Relay::caller_left() {
  return fail_with(State::kCallerLeft, ErrorKind::kReset, "closed before its answer was complete",
                   ErrorSide::kDownstream);
}

Relay::State Relay::no_answer(int error) {
  std::string message =
      block_used_ > 0 ? "closed in the middle of its answer's head" : "closed before it answered";
  if (error != 0) message += std::string(": ") + std::strerror(error);  // NOLINT: glibc's is safe
  return fail_with(State::kNoAnswer, ErrorKind::kReset, std::move(message), ErrorSide::kUpstream);
}

bool Relay::can_repeat() const {
  if (was_turned_away_) return true;
  if (has_heard_ || has_timed_out_ || request_body_.has_pulled()) return false;
  return !has_sent_ || context_.request.is_idempotent();
}

bool Relay::can_reuse_upstream() const {
  return answer_phase_ == Phase::kPassed && keeps_upstream_ && !upstream_broken_ &&
         rest_upstream_.empty() && request_body_.is_complete() && answer_body_.surplus().empty() &&
         !context_.upstream.peer_left();
}

TimePoint Relay::deadline(TimePoint started) {
  const TimeLimits& limits = context_.options.limits;
  TimePoint at = TimePoint::max();
  if (limits.total > Duration::zero() && !is_tunnel_) at = context_.arrived + limits.total;
  if (limits.response_start > Duration::zero() && answer_phase_ == Phase::kAwaited) {
    at = std::min(at, started + limits.response_start);
  }
  if (limits.idle > Duration::zero() || is_half_open()) {
    // Grows with every byte that is read and again when it is sent, either way.
    const std::uint64_t mark = 2 * (request_body_.bytes() + answer_body_.bytes()) -
                               request_body_.unsent().size() - answer_body_.unsent().size() +
                               head_bytes_heard_;
    if (mark != activity_mark_) {
      activity_mark_ = mark;
      last_activity_ = context_.reactor.now();
    }
    if (limits.idle > Duration::zero()) at = std::min(at, last_activity_ + limits.idle);
    if (is_half_open()) at = std::min(at, last_activity_ + kHalfOpen);
  }
  return at;
}

/// All that has come of the request has gone on, and more is due. Not of a caller that has asked
/// whether to send it (Expect) and was told nothing.
bool Relay::waits_for_caller() const {
  const bool has_asked = context_.request.expects_continue && !has_heard_;
  const bool is_passed_on = rest_upstream_.empty() && request_body_.unsent().empty();
  return !request_body_.is_read() && is_passed_on && !(has_asked && request_body_.bytes() == 0);
}

Relay::State Relay::time_out(TimePoint started) {
  const TimeLimits& limits = context_.options.limits;
  const TimePoint now = context_.reactor.now();
  if (deadline(started) > now) return State::kMoving;  // something moved meanwhile
  has_timed_out_ = true;
  if (is_half_open() && last_activity_ + kHalfOpen <= now) return end_half_open();
  const bool is_total =
      limits.total > Duration::zero() && !is_tunnel_ && context_.arrived + limits.total <= now;
  const bool is_idle = limits.idle > Duration::zero() && last_activity_ + limits.idle <= now;
  if (answer_phase_ != Phase::kAwaited) {
    const bool is_unread = !answer_body_.unsent().empty() || !rest_downstream_.empty();
    const bool is_callers = is_unread || (!is_tunnel_ && waits_for_caller());
    return fail_with(State::kBroken, ErrorKind::kTimeout,
                     is_total ? "the answer took longer than the request's time limit"
                              : "nothing moved within the idle time limit",
                     is_callers ? ErrorSide::kDownstream : ErrorSide::kUpstream);
  }
  if (waits_for_caller()) {
    return fail_with(State::kNoAnswer, ErrorKind::kTimeout,
                     is_idle && !is_total
                         ? "nothing of its request moved within the idle time limit"
                         : "its request did not arrive within the time limit",
                     ErrorSide::kDownstream);
  }
  return fail_with(State::kNoAnswer, ErrorKind::kTimeout,
                   is_total  ? "no answer within the request's time limit"
                   : is_idle ? "nothing moved within the idle time limit"
                             : "no answer within the time limit for its start",
                   ErrorSide::kUpstream);
}

}  // namespace bellows::proxy
