#include "proxy/io/tunnel.hpp"

namespace bellows::proxy {

void Tunnel::open() {
  state_ = State::kOpen;
  BodyPump& body = to_upstream_.body();
  body.begin({http::BodyEnd::kClose}, body.read_ahead());
}

void Tunnel::end_downstream() {
  to_upstream_.shutdown();
  state_ = state_ == State::kUpstreamEnded ? State::kBothEnded : State::kDownstreamEnded;
}

bool Tunnel::end_upstream() {
  // A second shutdown would make the socket ready again, and so cause the next one, in an endless
  // loop.
  if (state_ == State::kUpstreamEnded || state_ == State::kBothEnded) return false;
  to_downstream_.shutdown();
  state_ = state_ == State::kDownstreamEnded ? State::kBothEnded : State::kUpstreamEnded;
  return true;
}

bool Tunnel::is_complete() const {
  return to_upstream_.body().is_complete() || to_upstream_.is_broken();
}

Tunnel::HalfOpenEnd Tunnel::end_half_open() const {
  if (!to_downstream_.body().unsent().empty()) return HalfOpenEnd::kDownstreamUnread;
  return to_upstream_.body().unsent().empty() ? HalfOpenEnd::kComplete
                                              : HalfOpenEnd::kUpstreamUnread;
}

}  // namespace bellows::proxy
