#include "proxy/io/exchange.hpp"

#include <algorithm>
#include <utility>

#include "proxy/core/forwarded.hpp"
#include "proxy/core/hop_headers.hpp"
#include "proxy/io/session.hpp"

namespace bellows::proxy {

TimePoint Exchange::call_deadline() const {
  return record_.grpc_timeout ? record_.arrived + *record_.grpc_timeout : TimePoint::max();
}

Duration Exchange::time_limit(Duration configured) const {
  if (!record_.grpc_timeout) return configured;
  const Duration asked = std::max(*record_.grpc_timeout, Duration(1));  // zero means no limit
  return configured > Duration::zero() ? std::min(configured, asked) : asked;
}

Peer Exchange::caller() const {
  return session_.caller();
}

bool Exchange::is_http2() const {
  return session_.downstream().is_stream();
}

bool Exchange::is_https() const {
  return proxy::is_https(record_.head.fields, session_.is_secure() ? "https" : "http",
                         session_.trusts_client());
}

const PortContext* Exchange::port_context() const {
  return session_.port().context();
}

std::string_view Exchange::peer_ip() const {
  const std::string_view peer = peer_;
  if (peer.starts_with('[')) return peer.substr(1, peer.find(']') - 1);
  return peer.substr(0, peer.rfind(':'));
}

bool Exchange::is_whole() const {
  const http::Framing& framing = record_.head.framing;
  return !framing.chunked && framing.content_length.value_or(0) <= session_.body_in_memory().size();
}

std::size_t Exchange::held_bytes() const {
  return session_.held_bytes();
}

void Exchange::pack() {
  session_.pack();
}

http::Task<Result<void>> Exchange::forward(UpstreamPool& pool, const Endpoint& upstream,
                                           const ForwardOptions& options) {
  return session_.forwarder().forward(pool, upstream, options);
}

http::Task<void> Exchange::send_local_reply(LocalReply reply) {
  return session_.send_local_reply(std::move(reply));
}

http::Task<void> Exchange::send_local_reply(const Error& error) {
  note_failure(error.kind());
  return send_local_reply(local_reply_for(error));
}

void Exchange::log_inner_reply(const http::ResponseHead& response) {
  session_.log_inner_reply(response);
}

std::string_view Exchange::request_id() const {
  if (!record_.request_id.empty()) return record_.request_id;
  return record_.head.fields.find(kRequestIdHeader).value_or("");
}

std::string Exchange::trace_id() const {
  if (!record_.trace.context.trace.empty()) return to_string(record_.trace.context.trace);
  const auto received = read_trace(record_.head.fields).context;
  return received ? to_string(received->trace) : std::string();
}

bool Exchange::has_hung_up() const {
  return session_.downstream().peer_has_closed();
}

bool Exchange::is_stopping() const {
  return session_.server().is_cutting;
}

http::Waiter& Exchange::waiter() {
  return session_.waiter();
}

http::Reactor& Exchange::reactor() {
  return session_.server().reactor;
}

}  // namespace bellows::proxy
