#include "http/core/framing.hpp"

namespace bellows::http {

BodyFraming request_body(const RequestHead& head) {
  if (head.framing.chunked) return {BodyEnd::kChunked};
  const std::uint64_t length = head.framing.content_length.value_or(0);
  return length > 0 ? BodyFraming{BodyEnd::kLength, length} : BodyFraming{};
}

BodyFraming response_body(const ResponseHead& head, std::string_view request_method) {
  const bool never_has_body = head.status < 200 || head.status == 204 || head.status == 304;
  if (never_has_body || request_method == "HEAD") return {};
  if (head.framing.chunked) return {BodyEnd::kChunked};
  if (!head.framing.content_length) return {BodyEnd::kClose};
  const std::uint64_t length = *head.framing.content_length;
  return length > 0 ? BodyFraming{BodyEnd::kLength, length} : BodyFraming{};
}

bool asks_for_trailers(const Fields& fields) {
  bool asks = false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != FieldId::kTe) continue;
    if (fields.value(i) == "trailers") return true;  // the usual value
    for_each_token(fields.value(i),
                   [&](std::string_view coding) { asks |= equals_lower(coding, "trailers"); });
  }
  return asks;
}

}  // namespace bellows::http
