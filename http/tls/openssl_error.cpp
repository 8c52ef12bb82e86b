#include "http/tls/openssl_error.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/system/errc.hpp>
#include <boost/system/error_category.hpp>

namespace bellows::http {

namespace {

namespace errc = boost::system::errc;

/// Returns the reason of a TLS error. Values are those of ERR_get_error(), of which the libraries'
/// own fit an int. Returns 0 for an error of a library below TLS, whose reasons have the same
/// numbers with other meanings.
int reason_of(int value) {
  const auto error = static_cast<unsigned long>(value);
  return ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
}

/// Returns true for a reason of a TLS alert; common reasons of all libraries have higher numbers.
bool is_alert(int reason) {
  constexpr int kAlerts = 256;
  return reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + kAlerts;
}

errc::errc_t condition_of(int value) {
  switch (reason_of(value)) {
    case SSL_R_UNEXPECTED_EOF_WHILE_READING:
      return errc::connection_reset;
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    case SSL_AD_REASON_OFFSET + SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_REASON_OFFSET + SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_REASON_OFFSET + SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_REASON_OFFSET + SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_REASON_OFFSET + SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_REASON_OFFSET + SSL_AD_UNKNOWN_CA:
    case SSL_AD_REASON_OFFSET + SSL_AD_ACCESS_DENIED:
    case SSL_AD_REASON_OFFSET + SSL_AD_CERTIFICATE_REQUIRED:
      return errc::permission_denied;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_NO_PROTOCOLS_AVAILABLE:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_WRONG_SSL_VERSION:
    case SSL_AD_REASON_OFFSET + SSL_AD_PROTOCOL_VERSION:
      return errc::protocol_not_supported;
    default:
      return errc::protocol_error;
  }
}

// Its base has a protected destructor that is not virtual: no code deletes a category.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
class OpenSslCategory final : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "tls"; }

  std::string message(int value) const override {
    const int reason = reason_of(value);
    if (reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
      return "the other side closed the connection without ending TLS";
    }
    const char* const known = ERR_reason_error_string(static_cast<unsigned long>(value));
    const std::string text = known == nullptr ? "TLS error " + std::to_string(value) : known;
    return is_alert(reason) ? "the other side ends TLS: " + text : text;
  }

  boost::system::error_condition default_error_condition(int value) const noexcept override {
    return errc::make_error_condition(condition_of(value));
  }
};
#pragma GCC diagnostic pop

const OpenSslCategory& category() {
  static const OpenSslCategory instance;
  return instance;
}

}  // namespace

boost::system::error_code take_openssl_error() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  if (error == 0) return errc::make_error_code(errc::protocol_error);
  if (ERR_SYSTEM_ERROR(error)) {
    return {ERR_GET_REASON(error), boost::system::system_category()};
  }
  return {static_cast<int>(error), category()};
}

std::string take_openssl_text() {
  return take_openssl_error().message();
}

bool is_no_tls(const boost::system::error_code& error) {
  if (error.category() != category()) return false;
  const int reason = reason_of(error.value());
  return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
         reason == SSL_R_PACKET_LENGTH_TOO_LONG || reason == SSL_R_HTTPS_PROXY_REQUEST;
}

}  // namespace bellows::http
