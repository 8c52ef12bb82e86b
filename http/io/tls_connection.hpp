// A connection that speaks TLS over its socket. The handshake happens within the first reads, so
// code that serves a Connection is independent of it.
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

/// Counts the results of the handshakes of a port since start. Owner: the object that makes the
/// connections. Thread: any, because several may serve one port.
struct TlsCounters {
  using Count = std::atomic<std::uint64_t>;
  Count full = 0;
  Count resumed = 0;     ///< resumed by a ticket
  Count failed = 0;      ///< the peers did not agree, or one disconnected
  Count late = 0;        ///< incomplete at the deadline
  Count plain_http = 0;  ///< the client spoke HTTP in the clear, and got a 400
};

struct TlsConnectionOptions {
  Duration handshake_timeout = std::chrono::seconds(10);
  TlsCounters* counters = nullptr;  ///< must outlive the connection; nullptr: not counted
  std::string peer = {};            ///< for the log: "127.0.0.1:51234"
};

/// A handshake that fails, or is incomplete at its deadline, is a failed read. A client that sends
/// HTTP in the clear gets a 400 that explains this. A read returns kEnd only after close_notify; a
/// truncated connection is an error. Owner and thread: those of a Connection.
class TlsConnection final : public SocketConnection, private Timer {
 public:
  /// `socket` must be connected, `session` must be new.
  TlsConnection(Reactor& reactor, sys::Descriptor socket, std::unique_ptr<TlsSession> session,
                TlsConnectionOptions options = {});
  ~TlsConnection() override;

  using Connection::try_write;

  IoResult try_read(char* data, std::size_t size) override;
  IoResult try_write(const iovec* parts, std::size_t count) override;
  bool is_idle() override;
  std::optional<TlsPeer> tls_peer() const override { return session_->peer(); }
  /// Sends close_notify first.
  void shutdown_write() override;
  void close() override;
  void abort() override;

  /// Releases the session, together with detach(), for another owner of both.
  std::unique_ptr<TlsSession> release_session() { return std::move(session_); }

 private:
  enum class Stage : std::uint8_t {
    kHandshake,  ///< -> kOpen, kRefused, kFailed
    kOpen,       ///< -> kFailed
    kRefused,    ///< the peer got the reason; what it still sends is dropped -> kFailed
    kFailed,
  };
  /// Bytes that OpenSSL has encrypted and the socket has not accepted. They come first in the next
  /// write. Only their hash is kept, because the caller keeps the bytes.
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
  int error_ = 0;  // errno of kFailed
  Stage stage_ = Stage::kHandshake;
};

}  // namespace bellows::http
