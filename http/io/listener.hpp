// Accepts connections and keeps doing so whatever happens to single ones.
#pragma once

#include <functional>

#include "base/endpoint.hpp"
#include "http/io/connection.hpp"
#include "http/io/flow.hpp"

namespace bellows::http {

/// Owner: a server. Thread: the io thread.
class Listener final : private Watched {
 public:
  /// A new connection and "127.0.0.1:51234".
  using OnAccept = std::function<void(UniqueFd socket, const sockaddr_storage& peer)>;

  /// Binds (SO_REUSEADDR, backlog 4096) and starts to accept. Sockets come non-blocking and with
  /// TCP_NODELAY. "127.0.0.1:8080: bind: Address already in use (EADDRINUSE)" otherwise.
  static Result<std::unique_ptr<Listener>> listen(Reactor& reactor, const Endpoint& endpoint,
                                                  OnAccept on_accept);
  ~Listener();

  /// With the port that the system picked.
  const Endpoint& endpoint() const { return endpoint_; }
  /// Accept calls that failed for want of descriptors or memory; each is followed by a pause of
  /// 50 to 100 ms.
  std::uint64_t failures() const { return failures_; }

 private:
  Listener(Reactor& reactor, UniqueFd socket, Endpoint endpoint, OnAccept on_accept);
  void on_events(std::uint32_t epoll_events) override;
  Flow<void> accept_loop();
  bool accept_one();

  Reactor& reactor_;
  UniqueFd socket_;
  Endpoint endpoint_;
  OnAccept on_accept_;
  Waiter waiter_;
  std::uint64_t failures_ = 0;
  Flow<void> loop_;
};

/// "127.0.0.1:51234", "[::1]:51234", or "unix".
std::string peer_text(const sockaddr_storage& address);

}  // namespace bellows::http
