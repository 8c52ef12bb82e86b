// Accepts connections, and continues after errors of single ones.
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
  /// Receives a new non-blocking connection (with TCP_NODELAY) and the address of its client.
  using OnAccept = std::function<void(sys::Descriptor socket, const SocketAddress& peer)>;

  /// Mode of a Unix socket for traffic: it admits its owner and its group, which a web server on
  /// the same machine can share.
  static constexpr mode_t kTrafficMode = 0660;

  /// Binds and starts to accept. Errors are those of bind_and_listen().
  static Result<std::unique_ptr<Listener>> listen(Reactor& reactor, const Endpoint& endpoint,
                                                  OnAccept on_accept,
                                                  mode_t unix_mode = kTrafficMode);
  /// Does the same with a socket that is bound already.
  static Result<std::unique_ptr<Listener>> listen(Reactor& reactor, BoundSocket bound,
                                                  OnAccept on_accept);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Returns the endpoint with the port that the system chose.
  const Endpoint& endpoint() const { return bound_.endpoint; }

  /// Accepts all pending connections, because closing a listener would reset them.
  void accept_pending();

  /// Leaves connections to a shared socket to the other processes from now on. It has no effect on
  /// a socket that is not shared.
  void leave_to_others();

  /// Reserves descriptors for `connections`, so that these are accepted when no other descriptor is
  /// left.
  void keep_spare(std::size_t connections);
  /// Reopens the spent ones. Call it after connections were closed.
  void restore_spare();

  /// Pauses or resumes. While paused, connections wait in the backlog.
  void set_paused(bool paused);
  /// Returns true if a connection waits in the backlog.
  bool has_pending() const;

  /// Returns the number of accept calls that failed for lack of descriptors or memory. After each,
  /// the next attempt is 100 to 150 ms later, however many clients connect meanwhile.
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
  TimePoint pause_end_{};      // end of the pause after a failure
  bool is_exhausted_ = false;  // lack of room was logged; until the backlog is empty
  bool is_paused_ = false;
  bool is_left_ = false;  // other processes accept all further connections
  Task<void> loop_;
};

}  // namespace bellows::http
