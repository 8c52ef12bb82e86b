// Tokens of service accounts: JSON Web Tokens (RFC 7515, RFC 7519) as API servers sign them. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::kubernetes {

/// The pod that a token is bound to.
struct BoundPod {
  std::string ns;
  std::string name;
  std::string uid;
  std::string service_account;  ///< its name
  bool operator==(const BoundPod&) const = default;
};

/// The content of a token. Nothing of it is true before a key has verified the signature.
struct ServiceAccountToken {
  std::string algorithm;    ///< as its sender writes it: only compared with that of the key
  std::string key_id;       ///< of the key that has signed it
  std::string signed_text;  ///< head and claims as they were sent
  std::string signature;    ///< bytes
  std::string issuer;
  std::vector<std::string> audiences;
  WallTime not_before{};
  WallTime expires{};
  BoundPod pod;
};

/// Where the API server publishes its issuer, and the keys of it.
inline constexpr const char* kIssuerPath = "/.well-known/openid-configuration";
inline constexpr const char* kKeysPath = "/openid/v1/jwks";

/// A longer token is refused; those of API servers have about 1 KiB.
inline constexpr std::size_t kMaxTokenBytes = std::size_t{16} * 1024;

/// Makes the error of a refused token. The culprit is "token PART", where PART names the reason in
/// logs and tests: size, form, head, claims, pod, issuer, audience, time, key, algorithm,
/// signature, keys. No message contains the token.
Error token_error(std::string_view part, std::string message,
                  ErrorKind kind = ErrorKind::kMalformed);

/// Reads a token of three parts. It refuses a key that occurs twice, a critical extension, a claim
/// that is missing or has another type, and a token that is bound to no pod.
Result<ServiceAccountToken> parse_service_account_token(std::string_view text);

/// The tokens that are meant for us.
struct TokenRules {
  std::string issuer;
  std::string audience;
  /// The clock of the signer may differ by so much.
  Duration leeway = std::chrono::seconds(60);
};

/// Checks issuer, audience and times.
Result<void> check_claims(const ServiceAccountToken& token, const TokenRules& rules, WallTime now);

}  // namespace bellows::kubernetes
