// The local replies of a session.
#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "proxy/core/grpc.hpp"
#include "proxy/core/hop_headers.hpp"
#include "proxy/core/hsts.hpp"
#include "proxy/core/misdirected.hpp"
#include "proxy/io/relay.hpp"
#include "proxy/io/session.hpp"

namespace bellows::proxy {

namespace {

using Kind = http::IoResult::Kind;

constexpr Duration kReplyTime = std::chrono::seconds(10);  // to send a small one

/// Returns true if a malformed head is of a HEAD request, whose client ignores a body (RFC 9110
/// 9.3.2) and would read it as the next response.
bool is_head_request(std::string_view bytes) {
  if (bytes.starts_with("\r\n")) bytes.remove_prefix(2);
  return bytes.starts_with("HEAD ");
}

}  // namespace

/// Replies to a head that never became a request, and closes the connection.
http::Task<void> Session::reject_head(LocalReply reply) {
  ++server_.counters.rejected_heads[reply.status];
  keeps_alive_ = false;
  ending_ = Ending::kLinger;
  if (is_secure_) append_hsts(server_.options.hsts, reply);
  server_.scratch.clear();
  if (caller() == Peer::kOutside && is_grpc_call(input_.view())) {
    write_grpc_reply(reply, false, server_.date_line(), server_.scratch);
  } else {
    const bool for_head = is_head_request(input_.view());
    write_local_reply(reply, for_head, false, server_.date_line(), server_.scratch);
  }
  co_await write_out();
}

http::Task<void> Session::send_local_reply(LocalReply reply) {
  CHECK(!is_settled(), "a request gets one response");
  phase_ = Phase::kSettled;
  Outcome& outcome = record_.outcome;
  outcome.status = reply.status;
  outcome.is_local_reply = true;
  outcome.time_to_first_byte = server_.reactor.now() - record_.arrived;
  plan_after_reply(reply);
  if (!reply.generic.empty()) withhold_detail_of(reply);
  if (is_secure_) append_hsts(server_.options.hsts, reply);
  // HTTP/1.0 closes the connection unless the request has Connection: keep-alive.
  if (keeps_alive_ && record_.head.minor_version == 0) {
    reply.extra_lines += "Connection: keep-alive\r\n";
  }
  server_.scratch.clear();
  if (is_told_to_call(reply)) {
    outcome.grpc_status = grpc_status_of(reply);
    write_grpc_reply(reply, keeps_alive_, server_.date_line(), server_.scratch);
  } else {
    const bool for_head = record_.head.method == "HEAD";
    write_local_reply(reply, for_head, keeps_alive_, server_.date_line(), server_.scratch);
    if (!for_head && reply.status != 204) outcome.response_bytes = reply.body.size();
  }
  co_await write_out();
}

http::Task<void> Session::end_call(const Relay& relay, const Error& error, AbortedBy by) {
  Outcome& outcome = record_.outcome;
  std::string trailers;
  outcome.grpc_status = append_grpc_end(error, server_.options.error_detail, trailers);
  outcome.aborted_by = by;
  server_.scratch.clear();
  relay.write_call_end(trailers, server_.scratch);
  return write_out();
}

std::optional<LocalReply> Session::reply_if_misdirected() const {
  const std::optional<http::TlsPeer> peer = downstream_->tls_peer();
  if (!peer || peer->shown == nullptr) return std::nullopt;
  const auto host = other_host(record_.head, peer->server_name, trusts_client_);
  if (!host || peer->shown->is_for(*host)) return std::nullopt;
  return misdirected_reply(*host, peer->server_name);
}

/// Returns true if the caller gets a gRPC status. Hops of Bellows act on the HTTP status, so only
/// the outermost port converts it. A status that the app itself has set is passed on unchanged,
/// because no hop acts on it.
bool Session::is_told_to_call(const LocalReply& reply) const {
  const bool is_final = caller() == Peer::kOutside || reply.grpc_status.has_value();
  return record_.is_grpc_call && is_final && reply.status >= 400;
}

/// Moves the detail to the log, or to that of the previous hop if this is an inner one.
void Session::withhold_detail_of(LocalReply& reply) {
  if (!reply.is_probe) {
    const std::string_view asked = record_.head.fields.find(kRequestIdHeader).value_or("");
    record_.request_id = is_request_id(asked) ? asked : server_.replies.new_request_id();
    const std::string_view detail =
        std::string_view(reply.body).substr(0, reply.body.find_last_not_of('\n') + 1);
    if (caller() == Peer::kInside) {
      append_hop_headers({.detail = detail}, reply.extra_lines);
    } else {
      log_reply(reply.status, reply.reason, detail);
    }
  }
  withhold_detail(reply, server_.options.error_detail, record_.request_id);
}

void Session::log_inner_reply(const http::ResponseHead& response) {
  const HopHeaders hop = read_hop_headers(response.fields);
  const std::string_view id = response.fields.find(kRequestIdHeader).value_or("");
  if (!hop.detail || !is_request_id(id)) return;
  record_.request_id = id;
  log_reply(response.status, hop.reason.value_or(""), *hop.detail);
}

void Session::log_reply(int status, std::string_view reason, std::string_view detail) {
  const http::RequestHead& head = record_.head;
  server_.replies.add({.request_id = record_.request_id,
                       .at = server_.reactor.clock().wall_now(),
                       .status = status,
                       .reason = std::string(reason),
                       .method = std::string(head.method),
                       .host = std::string(head.host),
                       .path = std::string(head.path),
                       .detail = std::string(detail)},
                      server_.reactor.now());
}

/// Decides whether the connection stays open. The part of the request's body that was read is
/// dropped. If more follows, the connection ends, because the caller decides how long the rest
/// takes.
void Session::plan_after_reply(const LocalReply& reply) {
  keeps_alive_ = false;
  if (!reply.close && !kept_.has_begun()) {
    BodyPump body(server_.reactor);
    body.begin(http::request_body(record_.head), body_in_memory());
    consumed_ = record_.head.size + body.bytes();
    keeps_alive_ = body.is_read() && !read_ahead_ && may_keep_alive();
  }
  if (!keeps_alive_) ending_ = Ending::kLinger;
}

/// Sends server_.scratch. The caller may read it slowly, within a time limit.
http::Task<void> Session::write_out() {
  const http::IoResult first = downstream_->try_write(server_.scratch);
  if (first.kind == Kind::kBytes && first.bytes == server_.scratch.size()) co_return;
  const std::string rest = server_.scratch.substr(first.bytes);
  std::string_view left = rest;
  waiter_.set_deadline(server_.reactor.now() + kReplyTime);
  http::IoResult step = first;
  while (!left.empty() && step.kind != Kind::kFailed && !waiter_.is_overdue() &&
         !server_.is_cutting && !was_replaced_) {
    step = downstream_->try_write(left);
    if (step.kind == Kind::kBytes) left.remove_prefix(step.bytes);
    if (step.kind == Kind::kWouldBlock) co_await waiter_.wait();
  }
  waiter_.clear_deadline();
  if (left.empty()) co_return;
  keeps_alive_ = false;
  ending_ = Ending::kReset;
  Outcome& outcome = record_.outcome;
  outcome.aborted_by = server_.is_cutting ? AbortedBy::kLocal : AbortedBy::kDownstream;
  outcome.response_bytes -= std::min<std::uint64_t>(outcome.response_bytes, left.size());
}

}  // namespace bellows::proxy
