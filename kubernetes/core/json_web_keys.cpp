#include "kubernetes/core/json_web_keys.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/base64.hpp"
#include "json/object.hpp"

namespace bellows::kubernetes {

namespace {

constexpr std::size_t kMaxKeys = 64;
constexpr std::size_t kMinModulus = 256;  // bytes: 2,048 bits
constexpr std::size_t kMaxModulus = 2'048;
constexpr std::string_view kCulprit = "keys of the API server";

/// A curve, its only algorithm and the bytes of a coordinate (RFC 7518, 3.4 and 6.2.1).
struct Curve {
  std::string_view name;
  std::string_view algorithm;
  std::size_t bytes;
};
constexpr std::array<Curve, 3> kCurves = {
    {{"P-256", "ES256", 32}, {"P-384", "ES384", 48}, {"P-521", "ES512", 66}}};
constexpr std::array<std::string_view, 3> kRsaAlgorithms = {"RS256", "RS384", "RS512"};

tl::unexpected<Error> malformed(std::string message) {
  return fail(ErrorKind::kMalformed, std::string(kCulprit), std::move(message));
}

std::string text_or_empty(const json::Object& key, std::string_view name) {
  return key.text(name).value_or("");
}

Result<std::string> bytes_of(const json::Object& key, std::string_view name) {
  BELLOWS_TRY(const std::string text, key.text(name));
  auto bytes = from_base64url(text);
  if (bytes && !bytes->empty()) return *std::move(bytes);
  return fail(key.invalid(name, "base64url"));
}

/// Nothing: another use of the key, or an algorithm that is not supported.
Result<std::optional<JsonWebKey>> read_rsa(const json::Object& key) {
  JsonWebKey made{.id = text_or_empty(key, "kid"), .algorithm = "RS256"};
  if (key.has("alg")) made.algorithm = text_or_empty(key, "alg");
  if (std::ranges::find(kRsaAlgorithms, made.algorithm) == kRsaAlgorithms.end()) return {};
  BELLOWS_TRY(made.modulus, bytes_of(key, "n"));
  BELLOWS_TRY(made.exponent, bytes_of(key, "e"));
  if (made.modulus.size() > kMaxModulus || made.exponent.size() > 8) {
    return malformed("key \"" + made.id + "\" is too large; want at most 16,384 bits");
  }
  if (made.modulus.size() < kMinModulus) return {};
  return made;
}

Result<std::optional<JsonWebKey>> read_elliptic(const json::Object& key) {
  const auto* const curve =
      std::ranges::find(kCurves, std::string_view(text_or_empty(key, "crv")), &Curve::name);
  if (curve == kCurves.end()) return {};
  if (key.has("alg") && text_or_empty(key, "alg") != curve->algorithm) return {};
  JsonWebKey made{.id = text_or_empty(key, "kid"), .algorithm = std::string(curve->algorithm)};
  BELLOWS_TRY(made.x, bytes_of(key, "x"));
  BELLOWS_TRY(made.y, bytes_of(key, "y"));
  if (made.x.size() == curve->bytes && made.y.size() == curve->bytes) return made;
  return malformed("key \"" + made.id + "\": want coordinates of " + std::to_string(curve->bytes) +
                   " bytes");
}

Result<std::optional<JsonWebKey>> read_key(const json::Object& key) {
  if (key.has("use") && text_or_empty(key, "use") != "sig") return {};
  if (text_or_empty(key, "kid").empty()) return {};
  const std::string kind = text_or_empty(key, "kty");
  if (kind == "RSA") return read_rsa(key);
  if (kind == "EC") return read_elliptic(key);
  return {};
}

}  // namespace

Result<std::vector<JsonWebKey>> parse_json_web_keys(std::string_view text) {
  BELLOWS_TRY(const json::Object document, json::parse(text, kCulprit));
  BELLOWS_TRY(const auto all, document.objects("keys"));
  if (all.size() > kMaxKeys) return malformed(std::to_string(all.size()) + ": want at most 64");
  std::vector<JsonWebKey> keys;
  for (const json::Object& each : all) {
    BELLOWS_TRY(auto key, read_key(each));
    if (!key) continue;
    if (std::ranges::find(keys, key->id, &JsonWebKey::id) != keys.end()) {
      return malformed("two keys have the id \"" + key->id + "\"");
    }
    keys.push_back(*std::move(key));
  }
  return keys;
}

Result<std::string> parse_issuer(std::string_view text) {
  BELLOWS_TRY(const json::Object document, json::parse(text, "issuer of the API server"));
  BELLOWS_TRY(std::string issuer, document.text("issuer"));
  if (issuer.empty()) return fail(document.invalid("issuer", "a text that is not empty"));
  return issuer;
}

}  // namespace bellows::kubernetes
