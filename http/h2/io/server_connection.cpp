#include "http/h2/io/server_connection.hpp"

#include <utility>

#include "http/h2/io/multiplexer.hpp"

namespace bellows::http2 {

ServerConnection::ServerConnection(http::Reactor& reactor,
                                   std::unique_ptr<http::Connection> transport,
                                   std::string_view already_read, const Limits& limits,
                                   AbuseCounters& counters, std::string peer, OnStream on_stream,
                                   OnEnd on_end)
    : multiplexer_(std::make_unique<Multiplexer>(
          reactor, std::move(transport), already_read, limits, counters,
          MultiplexerOptions{.is_server = true,
                             .scheme = {},
                             .peer = std::move(peer),
                             .on_stream = std::move(on_stream),
                             .on_change = {},
                             .on_end = std::move(on_end)})) {}

ServerConnection::~ServerConnection() = default;

void ServerConnection::drain() {
  multiplexer_->drain();
}

bool ServerConnection::is_draining() const {
  return multiplexer_->is_draining();
}

void ServerConnection::close() {
  multiplexer_->close();
}

std::size_t ServerConnection::open_streams() const {
  return multiplexer_->open_streams();
}

bool ServerConnection::has_unsent() const {
  return multiplexer_->has_unsent();
}

TimePoint ServerConnection::idle_since() const {
  return multiplexer_->idle_since();
}

const http::Connection& ServerConnection::transport() const {
  return multiplexer_->transport();
}

}  // namespace bellows::http2
