#include "activator/core/replica_word.hpp"

#include <charconv>
#include <string_view>

namespace bellows::activator {
namespace {

std::optional<std::int32_t> number(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value < 0) return std::nullopt;
  return value;
}

std::optional<FailureReason> app_failure(const http::ResponseHead& head) {
  constexpr int kBadGateway = 502;
  constexpr int kGatewayTimeout = 504;
  if (head.status != kBadGateway && head.status != kGatewayTimeout) return std::nullopt;
  // The request's time was over before the app ever had it.
  if (head.fields.find("x-bellows-queue") == "timeout") return std::nullopt;
  const std::string_view reason = head.fields.find("x-bellows-reason").value_or("");
  for (const FailureReason known : {FailureReason::kRefused, FailureReason::kReset,
                                    FailureReason::kMalformed, FailureReason::kTimeout}) {
    if (reason == to_string(known)) return known;
  }
  return std::nullopt;
}

}  // namespace

ReplicaWord replica_word(const http::ResponseHead& head) {
  const http::Fields& fields = head.fields;
  if (!fields.has(http::FieldId::kInternal)) return {};
  return {.in_flight = number(fields.find("x-bellows-in-flight")),
          .queue_ms = number(fields.find("x-bellows-queue-ms")).value_or(0),
          .app_failure = app_failure(head),
          .is_of_app = !fields.find("x-bellows-reason")};
}

}  // namespace bellows::activator
