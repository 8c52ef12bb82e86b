// Accepts connections, also after errors of single ones.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/endpoint.hpp"
#include "base/sys/descriptor.hpp"
#include "base/sys/descriptor_reserve.hpp"
#include "http/io/address.hpp"
#include "http/io/bound_socket.hpp"
#include "http/io/reactor.hpp"
#include "http/io/task.hpp"

namespace bellows::http {

/// Owner: a server. Thread: the io thread.
class Listener final : private EventHandler {
 public:
  /// A new non-blocking connection (with TCP_NODELAY) and the address of its client.
  using OnAccept = std::function<void(sys::Descriptor socket, const SocketAddress& peer)>;

  /// Of a Unix socket that takes traffic: for its owner and its group, which a web server on the
  /// same machine can share.
  static constexpr mode_t kTrafficMode = 0660;

  /// Binds and starts to accept. Errors are those of bind_and_listen().
  static Result<std::unique_ptr<Listener>> listen(Reactor& reactor, const Endpoint& endpoint,
                                                  OnAccept on_accept,
                                                  mode_t unix_mode = kTrafficMode);
  /// The same for a socket that is bound already.
  static Result<std::unique_ptr<Listener>> listen(Reactor& reactor, BoundSocket bound,
                                                  OnAccept on_accept);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// With the port that the system picked.
  const Endpoint& endpoint() const { return bound_.endpoint; }

  /// Accepts all pending connections: the end of a listener would reset them.
  void accept_pending();

  /// From now on connections to a shared socket are left to the others that have it. Without effect
  /// on one that nobody shares.
  void leave_to_others();

  /// Keeps descriptors for so many connections: they are accepted although there is no other left.
  void keep_spare(std::size_t connections);
  /// Takes back what was spent of them. Call it when connections have been closed.
  void restore_spare();

  /// While paused, connections wait in the backlog.
  void set_paused(bool paused);
  /// Whether a connection waits there.
  bool has_pending() const;

  /// Accept calls that failed for lack of descriptors or memory. After each, the next is tried 100
  /// to 150 ms later, however many clients connect meanwhile.
  std::uint64_t failures() const { return failures_; }

 private:
  Listener(Reactor& reactor, BoundSocket bound, OnAccept on_accept);
  void on_events(std::uint32_t epoll_events) override;
  Task<void> accept_loop();
  void accept_next();
  enum class Step : std::uint8_t { kAccepted, kNothing, kNoRoom };
  Step accept_one();
  Step out_of_room(int error);

  Reactor& reactor_;
  BoundSocket bound_;
  OnAccept on_accept_;
  std::optional<sys::SpareDescriptors> spare_;
  Waiter waiter_;
  std::uint64_t failures_ = 0;
  TimePoint pause_end_{};      // after a failure; no accept is tried before
  bool is_exhausted_ = false;  // and logged; until the backlog is empty
  bool is_paused_ = false;
  bool is_left_ = false;  // to others, for good
  Task<void> loop_;
};

}  // namespace bellows::http
