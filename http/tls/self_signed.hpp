// Makes a self-signed certificate, for first tests.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bellows::http {

struct SelfSigned {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM
  std::string fingerprint;  ///< "AB:CD:...": SHA-256 of the certificate, as browsers show it
  std::string pin;          ///< "sha256//BASE64": the value for curl --pinnedpubkey
};

/// Makes a certificate with a new key of P-256 for the names, which are host names or IP addresses.
/// It is valid from an hour ago for `days`. Errors: kSystem (OpenSSL has failed), kInvalidSetting
/// (a name cannot be in a certificate).
Result<SelfSigned> make_self_signed(const std::vector<std::string>& names, int days);

}  // namespace bellows::http
