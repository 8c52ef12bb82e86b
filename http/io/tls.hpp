// What a stream needs of TLS, without the library that does it: http/tls implements it with
// OpenSSL, and programs that speak no TLS link none of that.
#pragma once

#include <boost/system/error_code.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/io/socket_api.hpp"

namespace bellows::http {

/// The result of one try of a TLS session.
struct TlsIo {
  enum class Kind : std::uint8_t {
    kDone,       ///< `bytes` were moved, or the handshake is complete
    kWantRead,   ///< another try is useful once the socket is readable
    kWantWrite,  ///< ... once it is writable
    kEnd,        ///< the peer has ended the stream (close_notify)
    kFailed,     ///< `error`; no try after it
    kPlainHttp,  ///< of a handshake: the peer has sent an HTTP request in the clear
  };
  Kind kind = Kind::kFailed;
  std::size_t bytes = 0;
  boost::system::error_code error = {};
  /// Of a read: neither the socket nor the session has more, so the next try is useful after the
  /// socket's next event.
  bool is_drained = false;
};

/// The names that this side of a connection has shown a certificate for. Owner: its session.
class ShownCertificate {
 public:
  /// `host`: a name or an IP address, without port and brackets.
  virtual bool is_for(std::string_view host) const = 0;

 protected:
  ~ShownCertificate() = default;
};

/// What a handshake has agreed on.
struct TlsPeer {
  std::string_view protocol = {};  ///< by ALPN: "h2", "http/1.1"; empty: none was offered
  bool was_resumed = false;        ///< by a ticket of an earlier connection
  /// Of a client whose certificate was verified, as the value of X-Forwarded-Client-Cert; empty:
  /// it showed none.
  std::string_view certificate = {};
  /// The host that a client has named (SNI); empty: none, as with an IP address.
  std::string_view server_name = {};
  const ShownCertificate* shown = nullptr;  ///< by a server; nullptr: none
};

/// One TLS connection over a non-blocking socket, whose descriptor every call names: the session
/// keeps none. No call blocks. Owner: a ByteStream or a TlsConnection. Thread: the io thread.
class TlsSession {
 public:
  virtual ~TlsSession() = default;

  /// The calls for sockets from now on; system_sockets() without it. They outlive the session.
  virtual void use(SocketApi& sockets) = 0;

  virtual TlsIo try_handshake(int fd) = 0;
  virtual TlsIo try_read(int fd, char* data, std::size_t size) = 0;
  /// At most one record. After kWantWrite the next try has the same bytes.
  virtual TlsIo try_write(int fd, std::string_view bytes) = 0;
  /// True if there is nothing to read and the peer has not ended: a kept-alive connection may take
  /// another request.
  virtual bool is_idle(int fd) = 0;
  /// Sends close_notify if the socket takes it; reading continues.
  virtual void send_end(int fd) = 0;

  /// After the handshake. The views are valid as long as the session.
  virtual TlsPeer peer() const = 0;

  /// Why the handshake ended with `error`: names `peer`, the certificate or file that is at fault,
  /// and what would be right.
  virtual Error handshake_error(const std::string& peer,
                                const boost::system::error_code& error) const = 0;
};

/// Certificates and rules that the sessions of one client or server have in common; sessions may
/// outlive it. Owner: the client or server. Thread: the io thread.
class TlsContext {
 public:
  virtual ~TlsContext() = default;

  /// A session for a new connection. A client's context checks the peer's certificate for
  /// `server_name` (a host name or an IP address) unless its settings name another one; a server's
  /// ignores it. Files that have changed are read again, at most once a call. kInvalidSetting: a
  /// file that cannot be used, named.
  virtual Result<std::unique_ptr<TlsSession>> start(const std::string& server_name) = 0;
};

}  // namespace bellows::http
