#include "kubernetes/io/token_keys.hpp"

#include <algorithm>
#include <utility>

namespace bellows::kubernetes {

Result<void> TokenKeys::take(std::string_view key_set) {
  BELLOWS_TRY(const std::vector<JsonWebKey> all, parse_json_web_keys(key_set));
  std::vector<SigningKey> keys;
  for (const JsonWebKey& each : all) {
    BELLOWS_TRY(SigningKey key, SigningKey::make(each));
    keys.push_back(std::move(key));
  }
  keys_ = std::move(keys);
  return {};
}

Result<ServiceAccountToken> TokenKeys::verify(std::string_view token, const TokenRules& rules,
                                              WallTime now) const {
  BELLOWS_TRY(ServiceAccountToken read, parse_service_account_token(token));
  BELLOWS_CHECKED(check_claims(read, rules, now));
  const auto key = std::ranges::find(keys_, read.key_id, &SigningKey::id);
  if (key == keys_.end()) {
    return fail(token_error("key", "no key of the API server has its id", ErrorKind::kNotFound));
  }
  if (read.algorithm != key->algorithm()) {
    return fail(token_error("algorithm", "is not that of its key; want " + key->algorithm()));
  }
  if (!key->has_signed(read.signed_text, read.signature)) {
    return fail(token_error("signature", "is not that of its key"));
  }
  return read;
}

}  // namespace bellows::kubernetes
