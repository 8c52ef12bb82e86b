// Accepts connections and keeps doing so whatever happens to single ones.
#pragma once

#include <functional>
#include <memory>

#include "base/endpoint.hpp"
#include "http/io/address.hpp"
#include "http/io/connection.hpp"
#include "http/io/socket_file.hpp"
#include "http/io/task.hpp"

namespace bellows::http {

/// Owner: a server. Thread: the io thread.
class Listener final : private Watched {
 public:
  /// A new non-blocking connection (TCP_NODELAY is on), and who it is.
  using OnAccept = std::function<void(UniqueFd socket, const SocketAddress& peer)>;

  /// Binds (SO_REUSEADDR, backlog 4096) and starts to accept; of a host's name the first address. A
  /// Unix socket file has mode 0660 before anybody can connect; a stale one is replaced. The error
  /// names the address: "127.0.0.1:8080: bind: Address already in use (EADDRINUSE)"; kConflict:
  /// somebody listens at that path, or it is another kind of file.
  static Result<std::unique_ptr<Listener>> listen(Reactor& reactor, const Endpoint& endpoint,
                                                  OnAccept on_accept);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// With the port that the system picked.
  const Endpoint& endpoint() const { return endpoint_; }

  /// Accepts whoever has connected by now: the end of a listener resets those who wait.
  void take_waiting();

  /// While paused, connections wait in the backlog.
  void set_paused(bool paused);

  /// Accept calls that failed for want of descriptors or memory. After each the next is tried 100
  /// to 150 ms later, however many connect meanwhile.
  std::uint64_t failures() const { return failures_; }

 private:
  Listener(Reactor& reactor, UniqueFd socket, Endpoint endpoint, OnAccept on_accept);
  void on_events(std::uint32_t epoll_events) override;
  Task<void> accept_loop();
  void accept_burst();
  enum class Step : std::uint8_t { kAccepted, kNothing, kNoRoom };
  Step accept_one();
  Step out_of_room(int error);

  Reactor& reactor_;
  UniqueFd socket_;
  Endpoint endpoint_;
  SocketFile file_;
  OnAccept on_accept_;
  Waiter waiter_;
  std::uint64_t failures_ = 0;
  TimePoint pause_end_{};      // after a failure; no accept is tried before
  bool is_exhausted_ = false;  // and it was told; until nobody waits any more
  bool is_paused_ = false;
  Task<void> loop_;
};

}  // namespace bellows::http
