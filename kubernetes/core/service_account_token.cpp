#include "kubernetes/core/service_account_token.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/base64.hpp"
#include "base/timestamp_text.hpp"
#include "json/object.hpp"
#include "json/texts.hpp"

namespace bellows::kubernetes {

namespace {

/// Calendar seconds up to the year 2096.
constexpr std::int64_t kMaxSeconds = 4'000'000'000;
constexpr std::size_t kMaxAudiences = 32;
constexpr std::size_t kMaxShown = 100;

tl::unexpected<Error> refuse(std::string_view part, std::string message) {
  return fail(token_error(part, std::move(message)));
}

/// Returns the three parts between two dots.
std::optional<std::array<std::string_view, 3>> parts_of(std::string_view text) {
  const std::size_t first = text.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = text.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  if (text.find('.', second + 1) != std::string_view::npos) return std::nullopt;
  return std::array{text.substr(0, first), text.substr(first + 1, second - first - 1),
                    text.substr(second + 1)};
}

/// Returns the object that a part is the base64 of. Its own error would quote the part.
Result<json::Object> object_of(std::string_view part, std::string_view name) {
  const auto bytes = from_base64url(part);
  if (!bytes) return refuse("form", "the " + std::string(name) + " is no base64url");
  auto object = json::parse(*bytes);
  if (object) return object;
  return refuse(name, "is no JSON object that has each key once");
}

Result<std::string> text_of(const json::Object& object, std::string_view key,
                            std::string_view part) {
  const auto text = object.text(key);
  if (text && !text->empty()) return *text;
  return refuse(part, std::string(key) + ": want a text that is not empty");
}

Result<WallTime> time_of(const json::Object& claims, std::string_view key) {
  const auto seconds = claims.integer(key, 0, kMaxSeconds);
  if (seconds) return WallTime(std::chrono::seconds(*seconds));
  return refuse("claims", std::string(key) + ": want a time in whole seconds");
}

/// A text, or a list of texts (RFC 7519, 4.1.3).
Result<std::vector<std::string>> audiences_of(const json::Object& claims) {
  if (const auto one = claims.text("aud")) return std::vector{*one};
  auto all = json::texts(claims, "aud");
  if (all && !all->empty() && all->size() <= kMaxAudiences) return *std::move(all);
  return refuse("claims", "aud: want a text, or a list of 1 to 32 texts");
}

Result<void> read_head(const json::Object& head, ServiceAccountToken& token) {
  BELLOWS_TRY(token.algorithm, text_of(head, "alg", "head"));
  BELLOWS_TRY(token.key_id, text_of(head, "kid", "head"));
  if (head.has("crit")) return refuse("head", "crit: critical extensions are not supported");
  return {};
}

Result<json::Object> object_in(const json::Object& object, std::string_view key,
                               std::string_view part) {
  auto found = object.object(key);
  if (found) return found;
  return refuse(part, std::string(key) + ": want an object");
}

Result<BoundPod> read_pod(const json::Object& claims) {
  BELLOWS_TRY(const json::Object ours, object_in(claims, "kubernetes.io", "claims"));
  BELLOWS_TRY(const json::Object account, object_in(ours, "serviceaccount", "claims"));
  BELLOWS_TRY(const json::Object pod, object_in(ours, "pod", "pod"));
  BoundPod bound;
  BELLOWS_TRY(bound.ns, text_of(ours, "namespace", "claims"));
  BELLOWS_TRY(bound.service_account, text_of(account, "name", "claims"));
  BELLOWS_TRY(bound.name, text_of(pod, "name", "pod"));
  BELLOWS_TRY(bound.uid, text_of(pod, "uid", "pod"));
  BELLOWS_TRY(const std::string subject, text_of(claims, "sub", "claims"));
  if (subject != "system:serviceaccount:" + bound.ns + ":" + bound.service_account) {
    return refuse("claims", "sub: is not the account of kubernetes.io");
  }
  return bound;
}

Result<void> read_claims(const json::Object& claims, ServiceAccountToken& token) {
  BELLOWS_TRY(token.issuer, text_of(claims, "iss", "claims"));
  BELLOWS_TRY(token.audiences, audiences_of(claims));
  BELLOWS_TRY(token.expires, time_of(claims, "exp"));
  if (claims.has("nbf")) {
    BELLOWS_TRY(token.not_before, time_of(claims, "nbf"));
  }
  BELLOWS_TRY(token.pod, read_pod(claims));
  return {};
}

/// Returns the text of a sender so that it fits into a line.
std::string shown(std::string_view text) {
  std::string line(text.substr(0, kMaxShown));
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' ' || c >= 0x7f; }, '?');
  return "\"" + line + (text.size() > kMaxShown ? "...\"" : "\"");
}

}  // namespace

Error token_error(std::string_view part, std::string message, ErrorKind kind) {
  return Error(kind, "token " + std::string(part), std::move(message));
}

Result<ServiceAccountToken> parse_service_account_token(std::string_view text) {
  if (text.size() > kMaxTokenBytes) {
    return refuse("size", std::to_string(text.size()) + " bytes: want at most 16384");
  }
  const auto parts = parts_of(text);
  if (!parts) return refuse("form", "want three parts with dots between them");
  const auto& [head, claims, signature] = *parts;
  ServiceAccountToken token;
  BELLOWS_TRY(const json::Object head_object, object_of(head, "head"));
  BELLOWS_CHECKED(read_head(head_object, token));
  BELLOWS_TRY(const json::Object claims_object, object_of(claims, "claims"));
  BELLOWS_CHECKED(read_claims(claims_object, token));
  auto bytes = from_base64url(signature);
  if (!bytes || bytes->empty()) return refuse("form", "the signature is no base64url");
  token.signature = *std::move(bytes);
  token.signed_text = text.substr(0, head.size() + 1 + claims.size());
  return token;
}

Result<void> check_claims(const ServiceAccountToken& token, const TokenRules& rules, WallTime now) {
  if (token.issuer != rules.issuer) {
    return refuse("issuer", shown(token.issuer) + ": want " + shown(rules.issuer));
  }
  if (std::ranges::find(token.audiences, rules.audience) == token.audiences.end()) {
    return refuse("audience", shown(token.audiences.front()) + ": want " + shown(rules.audience));
  }
  if (now + rules.leeway < token.not_before) {
    return refuse("time", "is valid from " + timestamp_text(token.not_before) +
                              ", and the clock says " + timestamp_text(now));
  }
  if (now - rules.leeway >= token.expires) {
    return refuse("time", "has expired at " + timestamp_text(token.expires) +
                              ", and the clock says " + timestamp_text(now));
  }
  return {};
}

}  // namespace bellows::kubernetes
