// The public keys by which an API server's tokens are checked: JSON Web Keys (RFC 7517, RFC 7518).
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bellows::kubernetes {

/// One public key that signs.
struct JsonWebKey {
  std::string id = {};
  /// The algorithm of its signatures: RS256, RS384, RS512, ES256, ES384 or ES512. A token does not
  /// choose it.
  std::string algorithm = {};
  std::string modulus = {};   ///< bytes, of RSA; empty: it is of an elliptic curve
  std::string exponent = {};  ///< bytes, of RSA
  std::string x = {};         ///< bytes, of a point on the curve of `algorithm`
  std::string y = {};         ///< bytes
};

/// Parses a key set. Keys for another use or of another kind (symmetric ones too) are skipped, as
/// are RSA keys below 2,048 bits. kMalformed: it is no key set, a key is broken, two have one id,
/// or there are more than 64.
Result<std::vector<JsonWebKey>> parse_json_web_keys(std::string_view text);

/// Parses the issuer of tokens from a discovery document (OpenID Connect Discovery 1.0).
Result<std::string> parse_issuer(std::string_view text);

}  // namespace bellows::kubernetes
