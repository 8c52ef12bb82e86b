#include "http/io/socket_deadline.hpp"

namespace bellows::http {

struct SocketDeadline::State {
  StreamSocket* socket;  // null once the deadline is destroyed
  bool has_expired = false;
  int armed_count = 0;  // identifies a handler that was queued before the deadline moved
};

SocketDeadline::SocketDeadline(StreamSocket& socket, TimePoint at)
    : state_(std::make_shared<State>(State{.socket = &socket})), timer_(socket.get_executor()) {
  arm(at);
}

SocketDeadline::~SocketDeadline() {
  state_->socket = nullptr;
}

void SocketDeadline::move_to(TimePoint at) {
  arm(at);
}

bool SocketDeadline::has_expired() const {
  return state_->has_expired;
}

void SocketDeadline::arm(TimePoint at) {
  const int mine = ++state_->armed_count;
  timer_.expires_at(to_steady(at));
  timer_.async_wait([state = state_, mine](const boost::system::error_code& error) {
    if (error || state->socket == nullptr || state->armed_count != mine) return;
    state->has_expired = true;
    boost::system::error_code ignored;
    state->socket->close(ignored);
  });
}

}  // namespace bellows::http
