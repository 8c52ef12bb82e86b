#include "http/h2/io/client_connection.hpp"

#include <utility>

#include "base/check.hpp"
#include "http/h2/io/multiplexer.hpp"

namespace bellows::http2 {

ClientConnection::ClientConnection(http::Reactor& reactor,
                                   std::unique_ptr<http::Connection> transport,
                                   std::string_view scheme, const Limits& limits,
                                   AbuseCounters& counters, std::string peer, OnChange on_change)
    : multiplexer_(std::make_unique<Multiplexer>(
          reactor, std::move(transport), std::string_view(), limits, counters,
          MultiplexerOptions{.is_server = false,
                             .scheme = std::string(scheme),
                             .peer = std::move(peer),
                             .on_stream = {},
                             .on_change = std::move(on_change),
                             .on_end = {}})) {}

ClientConnection::~ClientConnection() = default;

bool ClientConnection::may_open() const {
  return multiplexer_->may_open();
}

std::unique_ptr<http::Connection> ClientConnection::open_stream() {
  CHECK(may_open(), "a stream is opened where one may be");
  return multiplexer_->open_stream();
}

bool ClientConnection::is_ready() const {
  return multiplexer_->is_ready();
}

bool ClientConnection::is_other_protocol() const {
  return multiplexer_->is_other_protocol();
}

bool ClientConnection::has_ended() const {
  return multiplexer_->has_ended();
}

const std::string& ClientConnection::end_reason() const {
  return multiplexer_->end_reason();
}

void ClientConnection::drain() {
  multiplexer_->drain();
}

void ClientConnection::close() {
  multiplexer_->close();
}

std::size_t ClientConnection::open_streams() const {
  return multiplexer_->open_streams();
}

TimePoint ClientConnection::idle_since() const {
  return multiplexer_->idle_since();
}

}  // namespace bellows::http2
