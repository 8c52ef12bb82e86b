#include "kubernetes/io/token_verifier.hpp"

#include <utility>

#include "base/sys/log.hpp"

namespace bellows::kubernetes {

namespace {

constexpr Duration kTimeout = std::chrono::seconds(5);
constexpr std::size_t kMaxAnswerBytes = std::size_t{1024} * 1024;

ApiRequest get(std::string path, std::string accept) {
  ApiRequest request(std::move(path));
  request.accept = std::move(accept);
  request.timeout = kTimeout;
  request.max_answer_bytes = kMaxAnswerBytes;
  return request;
}

}  // namespace

TokenVerifier::TokenVerifier(Parts parts, std::string audience) : parts_(parts) {
  rules_.audience = std::move(audience);
}

http::Awaitable<Result<ServiceAccountToken>> TokenVerifier::verify(std::string token) {
  if (token.empty()) co_return fail(token_error("form", "is missing"));
  const bool is_old = !fetched_ || parts_.clock.now() - *fetched_ >= kRefresh;
  const auto refreshed = is_old ? ask() : nullptr;
  if (keys_.empty() && refreshed) co_await refreshed->wait();
  if (!fetched_) {
    co_return fail(token_error("keys", "cannot be fetched: " + failure_, ErrorKind::kUnavailable));
  }
  auto verified = keys_.verify(token, rules_, wall_now());
  if (verified || verified.error().kind() != ErrorKind::kNotFound) co_return verified;
  const auto asked = ask();
  if (!asked) co_return verified;
  co_await asked->wait();
  co_return keys_.verify(token, rules_, wall_now());
}

/// Returns what ends when the server has answered; nullptr: it is not asked yet again.
std::shared_ptr<http::Event> TokenVerifier::ask() {
  if (asking_) return asking_;
  const TimePoint now = parts_.clock.now();
  if (asked_ && now - *asked_ < (fetched_ ? kPause : kRetry)) return nullptr;
  asked_ = now;
  auto asked = std::make_shared<http::Event>(parts_.io);
  asking_ = asked;
  parts_.tasks.spawn("keys of tokens", [this, asked] { return fetch(asked); });
  return asked;
}

http::Awaitable<void> TokenVerifier::fetch(std::shared_ptr<http::Event> asked) {
  const Result<void> read = co_await read_keys();
  asking_.reset();
  const std::string failure = read ? "" : to_string(read.error());
  if (!read && failure != failure_) {
    sys::log::warning("the keys of tokens cannot be fetched", {{"error", failure}});
  }
  failure_ = failure;
  if (read) fetched_ = parts_.clock.now();
  asked->set();
}

http::Awaitable<Result<void>> TokenVerifier::read_keys() {
  ApiRequest for_issuer = get(kIssuerPath, "application/json");
  BELLOWS_CO_TRY(const std::string about, co_await parts_.client.call(std::move(for_issuer)));
  BELLOWS_CO_TRY(std::string issuer, parse_issuer(about));
  // Servers answer 406 to application/json (1.20.2).
  ApiRequest for_keys = get(kKeysPath, "application/jwk-set+json");
  BELLOWS_CO_TRY(const std::string keys, co_await parts_.client.call(std::move(for_keys)));
  BELLOWS_CO_CHECKED(keys_.take(keys));
  rules_.issuer = std::move(issuer);
  co_return Result<void>();
}

}  // namespace bellows::kubernetes
