// A certificate that vouches for itself, for a first try.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bellows::http {

struct SelfSigned {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM
  std::string fingerprint;  ///< "AB:CD:...": SHA-256 of the certificate, as browsers show it
  std::string pin;          ///< "sha256//BASE64": what curl --pinnedpubkey takes
};

/// With a new key of P-256, for the names, which are host names or IP addresses. Valid from an hour
/// ago for `days`. kSystem: OpenSSL has failed; kInvalidSetting: a name cannot be in a certificate.
Result<SelfSigned> make_self_signed(const std::vector<std::string>& names, int days);

}  // namespace bellows::http
