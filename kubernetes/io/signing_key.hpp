// Verifies signatures of tokens by OpenSSL. Within kubernetes/io.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "http/tls/openssl_owned.hpp"
#include "kubernetes/core/json_web_keys.hpp"

namespace bellows::kubernetes {

/// A public key. Cheap to move.
class SigningKey {
 public:
  /// kMalformed: OpenSSL cannot use the key, for example because its point is not on its curve.
  static Result<SigningKey> make(const JsonWebKey& key);

  const std::string& id() const { return id_; }
  const std::string& algorithm() const { return algorithm_; }
  /// Returns true if `signature` is that of `text` by this key and its algorithm (RFC 7518, 3.3 and
  /// 3.4).
  bool has_signed(std::string_view text, std::string_view signature) const;

 private:
  SigningKey(const JsonWebKey& key, http::KeyPtr made)
      : id_(key.id), algorithm_(key.algorithm), key_(std::move(made)) {}

  std::string id_;
  std::string algorithm_;
  http::KeyPtr key_;
};

}  // namespace bellows::kubernetes
