// The part of TLS that a stream needs, independent of the library. http/tls implements it with
// OpenSSL; programs that speak no TLS do not link OpenSSL.
#pragma once

#include <boost/system/error_code.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/io/socket_api.hpp"

namespace bellows::http {

/// Result of one try of a TLS session.
struct TlsIo {
  enum class Kind : std::uint8_t {
    kDone,       ///< `bytes` were transferred, or the handshake is complete
    kWantRead,   ///< another try is useful once the socket is readable
    kWantWrite,  ///< another try is useful once the socket is writable
    kEnd,        ///< the peer has ended the stream (close_notify)
    kFailed,     ///< `error`; no further try is allowed
    kPlainHttp,  ///< handshake only: the peer has sent an HTTP request in the clear
  };
  Kind kind = Kind::kFailed;
  std::size_t bytes = 0;
  boost::system::error_code error = {};
  /// Reads only: neither the socket nor the session has more, so the next try is useful after the
  /// socket's next event.
  bool is_drained = false;
};

/// Names of the certificate that this side of a connection has presented. Owner: its session.
class ShownCertificate {
 public:
  /// Returns true if the certificate is valid for `host`: a name or an IP address, without port and
  /// brackets.
  virtual bool is_for(std::string_view host) const = 0;

 protected:
  ~ShownCertificate() = default;
};

/// Result of a handshake.
struct TlsPeer {
  std::string_view protocol =
      {};  ///< chosen by ALPN: "h2", "http/1.1", "http/1.0"; empty: none was offered
  bool was_resumed = false;  ///< resumed by a ticket of an earlier connection
  /// Verified certificate of a client, as the value of X-Forwarded-Client-Cert; empty: it presented
  /// none.
  std::string_view certificate = {};
  /// Host that a client requested (SNI); empty: none, as with an IP address.
  std::string_view server_name = {};
  const ShownCertificate* shown = nullptr;  ///< certificate that a server presented; nullptr: none
};

/// One TLS connection over a non-blocking socket. Every call takes the descriptor, because the
/// session keeps none. No call blocks. Owner: a ByteStream or a TlsConnection. Thread: the io
/// thread.
class TlsSession {
 public:
  virtual ~TlsSession() = default;

  /// Sets the socket calls to use from now on; the default is system_sockets(). They must outlive
  /// the session.
  virtual void use(SocketApi& sockets) = 0;

  virtual TlsIo try_handshake(int fd) = 0;
  virtual TlsIo try_read(int fd, char* data, std::size_t size) = 0;
  /// Writes at most one record. After kWantWrite the next try must have the same bytes.
  virtual TlsIo try_write(int fd, std::string_view bytes) = 0;
  /// Returns true if there is nothing to read and the peer has not ended: a kept-alive connection
  /// may take another request.
  virtual bool is_idle(int fd) = 0;
  /// Sends close_notify if the socket has room; reading continues.
  virtual void send_end(int fd) = 0;

  /// Returns the result of the handshake, after it. The views are valid as long as the session.
  virtual TlsPeer peer() const = 0;

  /// Explains why the handshake ended with `error`: names `peer`, the certificate or file that is
  /// at fault, and what would be valid.
  virtual Error handshake_error(const std::string& peer,
                                const boost::system::error_code& error) const = 0;
};

/// Certificates and rules that the sessions of one client or server share; sessions may outlive it.
/// Owner: the client or server. Thread: the io thread.
class TlsContext {
 public:
  virtual ~TlsContext() = default;

  /// Makes a session for a new connection. A client's context checks the peer's certificate for
  /// `server_name` (a host name or an IP address) unless its settings name another one; a server's
  /// ignores it. Changed files are read again, at most once per call. A file that cannot be used is
  /// kInvalidSetting, and the error names it.
  virtual Result<std::unique_ptr<TlsSession>> start(const std::string& server_name) = 0;
};

}  // namespace bellows::http
