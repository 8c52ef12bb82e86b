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

}  // namespace

ReplicaWord replica_word(const http::Fields& fields) {
  if (!fields.has(http::FieldId::kInternal)) return {};
  return {.in_flight = number(fields.find("x-bellows-in-flight")),
          .queue_ms = number(fields.find("x-bellows-queue-ms")).value_or(0)};
}

}  // namespace bellows::activator
