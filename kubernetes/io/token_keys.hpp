// The keys of an API server, and what they say about a token. Within kubernetes/io.
#pragma once

#include <string_view>
#include <vector>

#include "kubernetes/core/service_account_token.hpp"
#include "kubernetes/io/signing_key.hpp"

namespace bellows::kubernetes {

/// Owner: the TokenVerifier. Thread: the io thread.
class TokenKeys {
 public:
  /// Takes the keys of a set in place of those before. An error leaves those before.
  Result<void> take(std::string_view key_set);
  bool empty() const { return keys_.empty(); }

  /// Verifies a token: its claims first, because they cost less, then its signature. kNotFound: no
  /// key has its id; all other errors are final.
  Result<ServiceAccountToken> verify(std::string_view token, const TokenRules& rules,
                                     WallTime now) const;

 private:
  std::vector<SigningKey> keys_;
};

}  // namespace bellows::kubernetes
