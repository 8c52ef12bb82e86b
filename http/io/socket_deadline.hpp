// A deadline for the operations on one socket of Asio.
#pragma once

#include <memory>

#include "http/io/net.hpp"

namespace bellows::http {

/// Closes the socket at an instant unless moved or destroyed before: pending and later operations
/// end with an error. Owner: the coroutine that uses the socket; the socket outlives it. Thread:
/// the io thread.
class SocketDeadline {
 public:
  SocketDeadline(StreamSocket& socket, TimePoint at);
  ~SocketDeadline();
  SocketDeadline(const SocketDeadline&) = delete;
  SocketDeadline& operator=(const SocketDeadline&) = delete;

  void move_to(TimePoint at);

  bool has_expired() const;

 private:
  struct State;
  void arm(TimePoint at);

  std::shared_ptr<State> state_;  // shared with the timer's pending handler
  AsioTimer timer_;
};

}  // namespace bellows::http
