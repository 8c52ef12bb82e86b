#include "http/tls/openssl_session.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/ip_range.hpp"
#include "http/io/net.hpp"
#include "http/tls/certificates.hpp"
#include "http/tls/client_certificate.hpp"
#include "http/tls/openssl_error.hpp"
#include "http/tls/port_certificates.hpp"

namespace bellows::http {

namespace {

using boost::system::error_code;

/// The socket under a session during one try. It raises no signal and never blocks.
struct Wire {
  SocketApi* sockets = &system_sockets();
  int fd = -1;
  int error = 0;  // errno of a call that failed
  bool has_ended = false;
  bool is_drained = false;  // the last read got less than requested
  int missing = 0;          // further bytes that the last read requested
  char first = 0;           // first byte from the peer; 0: none yet
};

Wire& wire_of(BIO* bio) {
  return *static_cast<Wire*>(BIO_get_data(bio));
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

int read_wire(BIO* bio, char* data, int size) {
  Wire& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  const auto got =
      wire.sockets->receive(wire.fd, data, static_cast<std::size_t>(size), MSG_DONTWAIT);
  wire.missing = size - static_cast<int>(std::max<ssize_t>(got, 0));
  if (got >= 0) {
    wire.has_ended = got == 0;
    wire.is_drained = got > 0 && got < size;
    if (wire.first == 0 && got > 0) wire.first = *data;
    return static_cast<int>(got);
  }
  wire.is_drained = true;
  if (would_block()) {
    BIO_set_retry_read(bio);
  } else {
    wire.error = errno;
  }
  return -1;
}

int write_wire(BIO* bio, const char* data, int size) {
  Wire& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  const iovec part{const_cast<char*>(data), static_cast<std::size_t>(size)};  // NOLINT: only read
  const auto sent = wire.sockets->send(wire.fd, &part, 1);
  if (sent >= 0) return static_cast<int>(sent);
  if (would_block()) {
    BIO_set_retry_write(bio);
  } else {
    wire.error = errno;
  }
  return -1;
}

long control_wire(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return wire_of(bio).has_ended ? 1 : 0;
  return 0;
}

BIO_METHOD* wire_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    BIO_meth_set_read(made, read_wire);
    BIO_meth_set_write(made, write_wire);
    BIO_meth_set_ctrl(made, control_wire);
    return made;
  }();
  return method;
}

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

class OpenSslSession final : public TlsSession, private ShownCertificate {
 public:
  OpenSslSession(SSL* ssl, TlsPeerCheck check, std::shared_ptr<const PortCertificates> certificates)
      : ssl_(ssl), check_(std::move(check)), certificates_(std::move(certificates)) {
    BIO* const bio = BIO_new(wire_method());
    BIO_set_data(bio, &wire_);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_app_data(ssl, this);
  }

  void use(SocketApi& sockets) override { wire_.sockets = &sockets; }
  TlsIo try_handshake(int fd) override;
  TlsIo try_read(int fd, char* data, std::size_t size) override;
  TlsIo try_write(int fd, std::string_view bytes) override;
  bool is_idle(int fd) override;
  void send_end(int fd) override;
  TlsPeer peer() const override;
  bool is_for(std::string_view host) const override;
  const PortCertificates* certificates() const { return certificates_.get(); }
  Error handshake_error(const std::string& peer, const error_code& error) const override;

  /// Is OpenSSL's callback for each certificate of the peer's chain.
  static int on_verified(int is_valid, X509_STORE_CTX* store);

 private:
  void begin(int fd);
  void expect(int bytes);
  void note_peer();
  TlsIo result(int returned, std::size_t bytes);
  std::string rejection(int reason, const X509& certificate) const;

  std::unique_ptr<SSL, FreeSsl> ssl_;
  Wire wire_;
  TlsPeerCheck check_;
  std::shared_ptr<const PortCertificates> certificates_;  // until the handshake is complete
  std::string client_certificate_;                        // of a client that presented one
  std::string rejected_;                                  // why the peer's certificate is rejected
  int expected_ = 1;                                      // of the socket; see expect()
};

void OpenSslSession::begin(int fd) {
  ERR_clear_error();
  wire_.fd = fd;
  wire_.error = 0;
  wire_.has_ended = false;
  wire_.is_drained = false;  // the result of an earlier try may be outdated
}

/// Returns the result of a call of OpenSSL that returned `returned` and transferred `bytes`.
TlsIo OpenSslSession::result(int returned, std::size_t bytes) {
  if (returned > 0) return {.kind = TlsIo::Kind::kDone, .bytes = bytes, .error = {}};
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      return {.kind = TlsIo::Kind::kWantRead, .bytes = 0, .error = {}};
    case SSL_ERROR_WANT_WRITE:
      return {.kind = TlsIo::Kind::kWantWrite, .bytes = 0, .error = {}};
    case SSL_ERROR_ZERO_RETURN:
      return {.kind = TlsIo::Kind::kEnd, .bytes = 0, .error = {}};
    default:
      break;
  }
  error_code error(wire_.error, boost::system::system_category());
  if (wire_.error == 0) error = take_openssl_error();
  return {.kind = TlsIo::Kind::kFailed, .bytes = 0, .error = error};
}

/// Requests no event before `bytes`, or the end, have arrived. Otherwise an attacker who sends the
/// hello byte by byte over many connections wakes the loop for each byte: 400 connections with 50
/// bytes a second took 14 % of a core.
void OpenSslSession::expect(int bytes) {
  if (SSL_is_server(ssl_.get()) == 0 || std::exchange(expected_, bytes) == bytes) return;
  // A failure only causes more events.
  ::setsockopt(wire_.fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

TlsIo OpenSslSession::try_handshake(int fd) {
  begin(fd);
  // It reads record by record, so that the number of missing bytes is known.
  if (SSL_is_server(ssl_.get()) != 0) SSL_set_read_ahead(ssl_.get(), 0);
  TlsIo io = result(SSL_do_handshake(ssl_.get()), 0);
  expect(io.kind == TlsIo::Kind::kWantRead ? wire_.missing : 1);
  if (io.kind == TlsIo::Kind::kDone) {
    SSL_set_read_ahead(ssl_.get(), 1);
    note_peer();
  }
  // No record of TLS begins with a letter, but every method does.
  const bool is_letter = wire_.first >= 'A' && wire_.first <= 'Z';
  if (io.kind == TlsIo::Kind::kFailed && is_letter && is_no_tls(io.error)) {
    io.kind = TlsIo::Kind::kPlainHttp;
  }
  return io;
}

/// Records the peer after the handshake.
void OpenSslSession::note_peer() {
  certificates_.reset();
  if (SSL_is_server(ssl_.get()) == 0 || SSL_get_verify_mode(ssl_.get()) == SSL_VERIFY_NONE) return;
  const X509* const certificate = SSL_get0_peer_certificate(ssl_.get());
  const bool is_verified = SSL_get_verify_result(ssl_.get()) == X509_V_OK;
  if (certificate != nullptr && is_verified) {
    client_certificate_ = client_certificate_text(*certificate);
  }
}

TlsPeer OpenSslSession::peer() const {
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &protocol, &size);
  TlsPeer peer{.protocol = {reinterpret_cast<const char*>(protocol), size},
               .was_resumed = SSL_session_reused(ssl_.get()) == 1,
               .certificate = client_certificate_};
  if (SSL_is_server(ssl_.get()) == 0) return peer;
  const char* const name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
  if (name != nullptr) peer.server_name = name;
  peer.shown = this;
  return peer;
}

bool OpenSslSession::is_for(std::string_view host) const {
  // OpenSSL's functions write to caches in the certificate.
  X509* const shown = SSL_get_certificate(ssl_.get());
  if (shown == nullptr) return false;
  const std::string text(host);
  return X509_check_host(shown, text.data(), text.size(), 0, nullptr) == 1 ||
         X509_check_ip_asc(shown, text.c_str(), 0) == 1;
}

TlsIo OpenSslSession::try_read(int fd, char* data, std::size_t size) {
  if (size == 0) return {.kind = TlsIo::Kind::kDone, .bytes = 0, .error = {}};
  begin(fd);
  std::size_t bytes = 0;
  const int returned = SSL_read_ex(ssl_.get(), data, size, &bytes);
  TlsIo io = result(returned, bytes);
  io.is_drained = wire_.is_drained && SSL_has_pending(ssl_.get()) == 0;
  return io;
}

TlsIo OpenSslSession::try_write(int fd, std::string_view bytes) {
  if (bytes.empty()) return {.kind = TlsIo::Kind::kDone, .bytes = 0, .error = {}};
  begin(fd);
  std::size_t sent = 0;
  const int returned = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent);
  return result(returned, sent);
}

bool OpenSslSession::is_idle(int fd) {
  begin(fd);
  char byte = 0;
  std::size_t bytes = 0;
  const int returned = SSL_peek_ex(ssl_.get(), &byte, 1, &bytes);
  return result(returned, bytes).kind == TlsIo::Kind::kWantRead;
}

void OpenSslSession::send_end(int fd) {
  if (SSL_in_init(ssl_.get()) != 0) return;
  begin(fd);
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

int OpenSslSession::on_verified(int is_valid, X509_STORE_CTX* store) {
  if (is_valid == 1) return is_valid;
  const auto* const ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto& session = *static_cast<OpenSslSession*>(SSL_get_app_data(ssl));
  const X509* const certificate = X509_STORE_CTX_get_current_cert(store);
  const int reason = X509_STORE_CTX_get_error(store);
  session.rejected_ = certificate == nullptr ? X509_verify_cert_error_string(reason)
                                             : session.rejection(reason, *certificate);
  return is_valid;
}

std::string OpenSslSession::rejection(int reason, const X509& certificate) const {
  const std::string subject = "the certificate \"" + subject_text(certificate) + "\" ";
  switch (reason) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return subject + "expired at " + valid_until_text(certificate);
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return subject + "is not valid before " + valid_from_text(certificate);
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return subject + "is for " + names_text(certificate) + ", not for " + check_.server_name;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return subject + "is signed by \"" + issuer_text(certificate) +
             "\", an unknown CA: want one of " + check_.trusted;
    default:
      return subject + "is not accepted: " + X509_verify_cert_error_string(reason);
  }
}

Error OpenSslSession::handshake_error(const std::string& peer, const error_code& error) const {
  if (!rejected_.empty()) {
    return Error(ErrorKind::kInvalidSetting, peer, "TLS handshake: " + rejected_);
  }
  if (is_no_tls(error)) {
    return Error(ErrorKind::kMalformed, peer,
                 "TLS handshake: the other side does not use TLS (" + error.message() + ")");
  }
  Error made = net_error(peer, "TLS handshake", error);
  if (made.kind() != ErrorKind::kUnsupported) return made;
  return Error(made.kind(), peer, made.message() + "; want TLS 1.2 or later");
}

/// Returns false if the name is not a valid host.
bool expect_name(SSL& ssl, const std::string& name) {
  X509_VERIFY_PARAM* const rules = SSL_get0_param(&ssl);
  // Names in the subject are ignored (RFC 6125, as all clients of Kubernetes do).
  X509_VERIFY_PARAM_set_hostflags(
      rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (parse_ip_address(name).has_value())
    return X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str()) == 1;
  return X509_VERIFY_PARAM_set1_host(rules, name.data(), name.size()) == 1 &&
         SSL_set_tlsext_host_name(&ssl, name.c_str()) == 1;
}

}  // namespace

Result<std::unique_ptr<TlsSession>> make_openssl_session(
    ssl_ctx_st& context, TlsSide side, TlsPeerCheck check,
    std::shared_ptr<const PortCertificates> certificates) {
  SSL* const ssl = SSL_new(&context);
  if (ssl == nullptr) return fail(ErrorKind::kSystem, "TLS", take_openssl_text());
  const std::string name = check.server_name;
  auto session = std::make_unique<OpenSslSession>(ssl, std::move(check), std::move(certificates));
  if (SSL_get_verify_mode(ssl) != SSL_VERIFY_NONE) {
    SSL_set_verify(ssl, SSL_get_verify_mode(ssl), OpenSslSession::on_verified);
  }
  if (side == TlsSide::kServer) {
    SSL_set_accept_state(ssl);
    return session;
  }
  SSL_set_connect_state(ssl);
  if (!expect_name(*ssl, name)) {
    return fail(ErrorKind::kInvalidSetting, "TLS server name \"" + name + "\"",
                "want a host name or an IP address");
  }
  return session;
}

const PortCertificates* port_certificates_of(const ssl_st& ssl) {
  return static_cast<const OpenSslSession*>(SSL_get_app_data(&ssl))->certificates();
}

const TicketKeys* ticket_keys_of(const ssl_st& ssl) {
  const PortCertificates* const certificates = port_certificates_of(ssl);
  return certificates == nullptr ? nullptr : &certificates->ticket_keys();
}

}  // namespace bellows::http
