// Parts of a relay that only gRPC calls use.
#include "base/printable_text.hpp"
#include "base/read_number.hpp"
#include "http/core/status.hpp"
#include "proxy/core/grpc.hpp"
#include "proxy/core/hop_headers.hpp"
#include "proxy/io/relay.hpp"

namespace bellows::proxy {

namespace {

constexpr std::size_t kMaxCallText = 2048;

}  // namespace

/// Returns true for a local reply of an inner hop to a gRPC call from outside: the caller then gets
/// a gRPC status.
bool Relay::is_inner_reply_to_call() const {
  const http::ResponseHead& response = reader_.head();
  return request_record().is_grpc_call && response.status >= 400 &&
         context_.options.upstream == Peer::kInside &&
         context_.options.downstream == Peer::kOutside &&
         response.fields.find(kReasonHeader.lower).has_value();
}

/// Drops the text of the reply, which is small and has arrived with its head; otherwise the
/// upstream connection is closed.
Relay::State Relay::drop_inner_body() {
  const bool has_arrived = plan_.framing.end == http::BodyEnd::kLength &&
                           reader_.body_begin().size() == plan_.framing.length;
  plan_.framing = {http::BodyEnd::kNone};
  plan_.coding = BodyCoding::kAsIs;
  plan_.keeps_upstream = plan_.keeps_upstream && has_arrived;
  to_downstream_.body().begin(plan_.framing, {});
  return State::kMoving;
}

/// Returns the reply of the inner hop as one of this hop. `lines` are those of the hook.
LocalReply Relay::reply_to_call(std::string_view lines) {
  const http::ResponseHead& response = reader_.head();
  LocalReply reply;
  reply.status = response.status;
  reply.reason = response.fields.find(kReasonHeader.lower).value_or("");
  const std::span<char> body = reader_.body_begin();
  const std::string_view text(body.data(), body.size());
  reply.body = text.empty()
                   ? std::string(http::reason_phrase(response.status))
                   : printable(text.substr(0, text.find_last_not_of('\n') + 1), kMaxCallText);
  reply.retry_after_seconds = read_number<int>(response.fields.find("retry-after").value_or(""));
  if (const auto id = response.fields.find(kRequestIdHeader)) {
    ((reply.extra_lines = "X-Request-Id: ") += *id) += "\r\n";
  }
  reply.extra_lines += lines;
  return reply;
}

void Relay::write_head_to_call(TimePoint now, http::ResponseHead* parts) {
  ServerState& server = context_.server;
  Outcome& outcome = context_.downstream.request.outcome;
  if (!is_reply_to_call_) {
    outcome.grpc_status = grpc_status_in(reader_.head().fields);
    return write_final_head(now, parts);
  }
  const LocalReply reply = reply_to_call(server.scratch_lines);
  outcome.grpc_status = grpc_status_of(reply);
  write_grpc_reply(reply, plan_.keeps_downstream, server.date.at(now, server.reactor.clock()),
                   server.scratch);
}

void Relay::note_call_end() {
  Outcome& outcome = context_.downstream.request.outcome;
  const std::string_view trailers = to_downstream_.body().trailers();
  if (!outcome.grpc_status) outcome.grpc_status = grpc_status_in(trailers);
  if (context_.options.upstream == Peer::kInside) inner_end_ = grpc_end_in(trailers);
}

/// Returns true if trailers can still be sent. A caller that does not read is reset after a time
/// limit, because it would not read trailers either.
bool Relay::can_end_call(ErrorKind why) const {
  const BodyPump& body = to_downstream_.body();
  if (phase_ != Phase::kRelaying || !body.is_between_messages()) return false;
  switch (why) {
    case ErrorKind::kTimeout:
      return body.unsent().empty() && !to_downstream_.has_pending_head();
    case ErrorKind::kReset:
    case ErrorKind::kCancelled:
      return true;
    default:
      return false;
  }
}

void Relay::write_call_end(std::string_view trailers, std::string& out) const {
  out += to_downstream_.pending_head();
  out += to_downstream_.body().unsent();
  out += "0\r\n";
  out += trailers;
  out += "\r\n";
}

}  // namespace bellows::proxy
