// An end to the patience with one socket.
#pragma once

#include <memory>

#include "http/io/net.hpp"

namespace bellows::http {

/// Closes the socket at an instant unless moved or destroyed before; whatever waits for the socket
/// then ends with an error, and so does whatever is tried after. Owner: the coroutine that uses the
/// socket; the socket outlives it. Thread: the io thread.
class SocketDeadline {
 public:
  SocketDeadline(StreamSocket& socket, TimePoint at);
  ~SocketDeadline();
  SocketDeadline(const SocketDeadline&) = delete;
  SocketDeadline& operator=(const SocketDeadline&) = delete;

  void move_to(TimePoint at);

  /// No end until move_to() is called again.
  void disarm();

  bool has_expired() const;

 private:
  struct State;
  void arm(TimePoint at);

  std::shared_ptr<State> state_;  // shared with the timer's pending handler
  Timer timer_;
};

}  // namespace bellows::http
