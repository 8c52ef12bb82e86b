// One TCP (or Unix) stream socket whose calls never block: try, and if it would block, wait in the
// owner's Waiter.
#pragma once

#include <cstdint>
#include <span>

#include "http/io/reactor.hpp"
#include "http/io/unique_fd.hpp"

namespace bellows::http {

/// What a try came to.
struct IoStep {
  enum class Kind : std::uint8_t {
    kBytes,       ///< `bytes` moved, at least one
    kWouldBlock,  ///< the waiter is woken when it is worth another try
    kEnd,         ///< the peer has sent everything (FIN)
    kFailed,      ///< `error` is the errno
  };
  Kind kind = Kind::kWouldBlock;
  std::size_t bytes = 0;
  int error = 0;
};

/// Owner: a session, an exchange or an upstream pool. Thread: the io thread.
class Connection final : private Watched {
 public:
  /// Takes a connected or connecting non-blocking socket into the reactor.
  Connection(Reactor& reactor, UniqueFd socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Whom to wake when something happens; nullptr: nobody. What happened before is not told again.
  void set_waiter(Waiter* waiter) { waiter_ = waiter; }

  bool is_open() const { return socket_.is_open(); }
  /// The peer closed, or cut, its sending side; bytes may still be there to read.
  bool peer_left() const { return peer_left_; }
  /// It was reset, or the system has given the peer up: whoever waits to send waits for nobody.
  bool was_reset() const { return was_reset_; }
  /// A read is worth a try: bytes, the end or an error are, or may be, there.
  bool is_readable() const { return readable_; }

  IoStep try_read(char* data, std::size_t size);
  /// As much of the parts as goes out now.
  IoStep try_write(const iovec* parts, std::size_t count);
  IoStep try_write(std::string_view bytes);

  /// Looks whether bytes, an end or an error wait, with a system call (MSG_PEEK).
  bool is_silent();
  /// errno of a connect that was under way, 0 when it has succeeded.
  int connect_error();
  /// True once a connect under way has ended, either way.
  bool connect_ended() const { return writable_; }
  void expect_connect() { writable_ = false; }

  /// Says "nothing more from here" (FIN), still reads.
  void shutdown_write();
  void close();
  /// Closes with a reset, so that what was sent can never look complete.
  void abort();

 private:
  void on_events(std::uint32_t epoll_events) override;

  Reactor& reactor_;
  UniqueFd socket_;
  Waiter* waiter_ = nullptr;
  bool readable_ = false;  // until the reactor says so: whoever was ready before is read before
  bool writable_ = true;
  bool peer_left_ = false;
  bool was_reset_ = false;
};

}  // namespace bellows::http
