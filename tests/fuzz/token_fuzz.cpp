// Tokens and key sets are rejected with a reason, or read. No token is accepted by a key that has
// not signed it, and no error shows one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/base64.hpp"
#include "base/check.hpp"
#include "kubernetes/io/token_keys.hpp"
#include "tests/support/base64url.hpp"

namespace bellows::kubernetes {
namespace {

std::string message_of(std::string_view text) {
  const auto token = parse_service_account_token(text);
  return token ? "" : token.error().message();
}

/// Returns true if the message has the first bytes of the text because they are those of the text.
/// The fuzzer also makes texts of the words of messages.
bool shows(const std::string& message, std::string_view text) {
  constexpr std::size_t kRecognized = 32;
  if (text.size() < kRecognized) return false;
  if (message.find(text.substr(0, kRecognized)) == std::string::npos) return false;
  std::string other(text);
  other.front() = other.front() == 'A' ? 'B' : 'A';
  return message_of(other) != message;
}

void fuzz_token(std::string_view text) {
  const auto token = parse_service_account_token(text);
  if (!token) {
    CHECK(token.error().culprit().starts_with("token "), "a refusal has a reason");
    CHECK(!shows(token.error().message(), text), "an error shows no token");
    return;
  }
  CHECK(text.size() <= kMaxTokenBytes, "a token is small");
  CHECK(text.starts_with(token->signed_text), "what is signed is the beginning");
  CHECK(text == token->signed_text + "." + test::to_base64url(token->signature),
        "a token can be written in one way only");
  CHECK(!token->pod.name.empty() && !token->pod.uid.empty(), "it is of a pod");
  check_claims(*token, {.issuer = "i", .audience = "a"}, token->expires).has_value();
}

void fuzz_keys(std::string_view text) {
  TokenKeys keys;
  if (!keys.take(text)) CHECK(keys.empty(), "a broken set gives no keys");
  parse_issuer(text).has_value();
}

}  // namespace
}  // namespace bellows::kubernetes

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto bytes = bellows::from_base64url(text)) {
    CHECK(bellows::test::to_base64url(*bytes) == text, "base64url is read back");
  }
  bellows::kubernetes::fuzz_token(text);
  bellows::kubernetes::fuzz_keys(text);
  return 0;
}
