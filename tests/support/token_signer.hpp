// Signs tokens of service accounts as an API server does, and badly on request.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bellows::test {

/// A key that signs by RS256, RS384, RS512, ES256, ES384 or ES512. One of RSA takes some 100 ms to
/// make.
class TokenSigner {
 public:
  TokenSigner(std::string id, std::string algorithm);
  ~TokenSigner();
  TokenSigner(const TokenSigner&) = delete;
  TokenSigner& operator=(const TokenSigner&) = delete;

  const std::string& id() const { return id_; }
  const std::string& algorithm() const { return algorithm_; }
  /// As JSON Web Key; `more`: further members, with a comma before them.
  std::string json(std::string_view more = "") const;
  /// As PEM, which an attacker may use as the secret of HS256.
  std::string public_pem() const;
  /// The bytes of a signature of `text`.
  std::string signature(std::string_view text) const;
  /// A token whose parts are these, signed.
  std::string token(std::string_view head, std::string_view claims) const;
  /// The same with the usual head.
  std::string token(std::string_view claims) const;
  std::string head() const;

 private:
  struct Key;
  std::string id_;
  std::string algorithm_;
  std::unique_ptr<Key> key_;
};

/// The body of /openid/v1/jwks.
std::string key_set(const std::vector<const TokenSigner*>& signers);

/// The bytes of HMAC with SHA-256.
std::string hmac(std::string_view secret, std::string_view text);

/// What a token says; each member stands as JSON.
struct TokenClaims {
  std::string issuer = R"("https://kubernetes.default.svc")";
  std::string audience = R"(["bellows-stats"])";
  std::string issued = "1000";  ///< seconds of the calendar
  std::string not_before = "1000";
  std::string expires = "4600";
  std::string ns = R"("shop")";
  std::string account = "default";  ///< without quotes
  std::string pod = R"({"name":"web-1","uid":"uid of web-1"})";

  std::string json() const;
};

}  // namespace bellows::test
