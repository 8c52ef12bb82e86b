// A connection that speaks TLS over its socket. The handshake happens within the first reads, so
// who serves a Connection does not know of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "http/io/socket_connection.hpp"
#include "http/io/timer_wheel.hpp"
#include "http/io/tls.hpp"

namespace bellows::http {

/// How the handshakes of a port have ended, since start. Owner: who makes the connections. Thread:
/// any, because several may serve one port.
struct TlsCounters {
  using Count = std::atomic<std::uint64_t>;
  Count full = 0;
  Count resumed = 0;     ///< by a ticket
  Count failed = 0;      ///< the peers did not agree, or one has left
  Count late = 0;        ///< not complete in time
  Count plain_http = 0;  ///< the client spoke HTTP in the clear, and got a 400
};

struct TlsConnectionOptions {
  Duration handshake_timeout = std::chrono::seconds(10);
  TlsCounters* counters = nullptr;  ///< outlives the connection; nullptr: not counted
  std::string peer = {};            ///< for the log: "127.0.0.1:51234"
};

/// Owner and thread: those of a Connection. A handshake that fails, or is not complete in time, is
/// a failed read. A client that sends HTTP in the clear gets a 400 that says so. The end of a
/// connection is kEnd only after close_notify: one that was cut is an error.
class TlsConnection final : public SocketConnection, private Timer {
 public:
  /// `socket` is connected, `session` is new.
  TlsConnection(Reactor& reactor, sys::Descriptor socket, std::unique_ptr<TlsSession> session,
                TlsConnectionOptions options = {});
  ~TlsConnection() override;

  using Connection::try_write;

  IoResult try_read(char* data, std::size_t size) override;
  IoResult try_write(const iovec* parts, std::size_t count) override;
  bool is_idle() override;
  std::optional<TlsPeer> tls_peer() const override { return session_->peer(); }
  /// Says close_notify first.
  void shutdown_write() override;
  void close() override;
  void abort() override;

  /// With detach(): for another owner of both.
  std::unique_ptr<TlsSession> release_session() { return std::move(session_); }

 private:
  enum class Stage : std::uint8_t {
    kHandshake,  ///< -> kOpen, kRefused, kFailed
    kOpen,       ///< -> kFailed
    kRefused,    ///< the peer was told why; what it still sends is dropped -> kFailed
    kFailed,
  };
  /// What OpenSSL has encrypted and the socket has not taken: these bytes come first in the next
  /// write. Their hash, because the caller has them.
  struct Unsent {
    std::size_t bytes = 0;
    std::size_t hash = 0;
  };

  void on_expiry() override;
  bool shake_hands();
  void hands_shaken();
  void handshake_failed(const boost::system::error_code& error);
  void refuse_plain_http();
  void refuse();
  IoResult read_away(char* data, std::size_t size);
  IoResult unusable(int error);
  bool is_what_comes_next(std::string_view record) const;
  void count(TlsCounters::Count TlsCounters::*which);

  std::unique_ptr<TlsSession> session_;
  TlsConnectionOptions options_;
  std::optional<Unsent> unsent_;
  int error_ = 0;  // of kFailed
  Stage stage_ = Stage::kHandshake;
};

}  // namespace bellows::http
