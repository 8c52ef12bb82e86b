#include "proxy/io/http2_downstream.hpp"

#include <utility>

#include "proxy/io/session.hpp"

namespace bellows::proxy {

namespace {

/// Number of ended sessions that wait to be destroyed together, because each destruction needs the
/// carrier's task.
constexpr std::size_t kMaxEnded = 16;

}  // namespace

Http2Downstream::Http2Downstream(Session& carrier, std::unique_ptr<http::Connection> transport,
                                 std::string_view already_read)
    : carrier_(carrier),
      server_(carrier.server()),
      connection_(
          server_.reactor, std::move(transport), already_read,
          carrier.caller() == Peer::kInside ? server_.http2_inner_limits : server_.http2_limits,
          server_.http2_abuses, std::string(carrier.peer()),
          [this](std::unique_ptr<http::Connection> stream) { begin_stream(std::move(stream)); },
          [this] {
            has_ended_ = true;
            carrier_.wake();
          }) {}

Http2Downstream::~Http2Downstream() = default;

http::Task<void> Http2Downstream::run() {
  while (!has_ended_) {
    ended_.clear();
    place_carrier();
    if (server_.is_cutting || carrier_.was_replaced()) {
      cut();
    } else if (is_to_drain()) {
      drain();
    }
    // The connection itself ends when it is idle; this deadline is only for the age.
    if (!connection_.is_draining()) carrier_.waiter().set_deadline(carrier_.end_of_age());
    co_await carrier_.waiter().wait();
  }
  ended_.clear();
}

void Http2Downstream::begin_stream(std::unique_ptr<http::Connection> stream) {
  ended_.clear();
  carrier_.note_stream();
  SessionListener& listener = *this;
  sessions_.push_back(std::make_unique<Session>(carrier_, std::move(stream), listener));
  Session& session = *sessions_.back();
  session.place = std::prev(sessions_.end());
  session.start();
}

void Http2Downstream::session_ended(Session& session) {
  ended_.splice(ended_.end(), sessions_, session.place);
  // A new connection to a leaving port gets one response, as one of HTTP/1.1 does.
  if (server_.is_leaving(carrier_.port())) drain();
  if (sessions_.empty() || ended_.size() >= kMaxEnded) carrier_.wake();
}

void Http2Downstream::exchange_ended() {
  server_.listener.exchange_ended();
}

void Http2Downstream::tunnel_opened() {
  server_.listener.tunnel_opened();
}

/// Without a stream the connection may be replaced by another.
void Http2Downstream::place_carrier() {
  if (sessions_.empty()) carrier_.wait_for_stream(connection_.idle_since());
}

bool Http2Downstream::is_to_drain() const {
  if (server_.is_closing || carrier_.port().state() == PortState::kClosed) return true;
  if (!server_.is_leaving(carrier_.port())) return carrier_.is_past_age();
  return !sessions_.empty() || (server_.closes_idle && !carrier_.is_silent());
}

void Http2Downstream::drain() {
  if (!connection_.is_draining()) connection_.drain();
}

/// Wakes the sessions, which end by themselves when the server stops and state this in their
/// responses.
void Http2Downstream::cut() {
  for (const auto& session : sessions_) session->wake();
  if (sessions_.empty()) connection_.close();
}

}  // namespace bellows::proxy
