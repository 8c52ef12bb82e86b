#include "proxy/core/hop_headers.hpp"

#include <charconv>

#include "base/read_number.hpp"

namespace bellows::proxy {

namespace {

constexpr std::string_view kElsewhere = "elsewhere";
constexpr std::string_view kTimeout = "timeout";

void append_line(const HopHeaderName& name, std::string_view value, std::string& lines) {
  lines += name.written;
  lines += ": ";
  lines += value;
  lines += "\r\n";
}

void append_number(const HopHeaderName& name, std::int64_t number, std::string& lines) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  append_line(name, {digits, static_cast<std::size_t>(end.ptr - digits)}, lines);
}

std::optional<std::int32_t> to_number(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  const auto value = read_number<std::int32_t>(*text);
  return value && *value >= 0 ? value : std::nullopt;
}

}  // namespace

void append_hop_headers(const HopHeaders& headers, std::string& lines) {
  if (headers.in_flight) append_number(kInFlightHeader, *headers.in_flight, lines);
  if (headers.queue_ms) append_number(kQueueTimeHeader, *headers.queue_ms, lines);
  if (headers.reason) append_line(kReasonHeader, *headers.reason, lines);
  if (headers.may_retry_elsewhere) append_line(kRetryHeader, kElsewhere, lines);
  if (headers.runs) append_number(kRunsHeader, *headers.runs, lines);
  if (headers.timed_out_in_queue) append_line(kQueueHeader, kTimeout, lines);
  if (headers.detail) append_line(kDetailHeader, *headers.detail, lines);
}

HopHeaders read_hop_headers(const http::Fields& fields) {
  if (!fields.has(http::FieldId::kInternal)) return {};
  struct Wanted {
    const HopHeaderName& name;
    std::optional<std::string_view> value;
  };
  Wanted in_flight{kInFlightHeader, {}};
  Wanted queue_ms{kQueueTimeHeader, {}};
  Wanted reason{kReasonHeader, {}};
  Wanted retry{kRetryHeader, {}};
  Wanted runs{kRunsHeader, {}};
  Wanted queue{kQueueHeader, {}};
  Wanted detail{kDetailHeader, {}};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.id(i) != http::FieldId::kInternal) continue;
    for (Wanted* wanted : {&in_flight, &queue_ms, &reason, &retry, &runs, &queue, &detail}) {
      if (!http::equals_lower(fields.name(i), wanted->name.lower)) continue;
      if (!wanted->value) wanted->value = fields.value(i);
      break;
    }
  }
  return {.in_flight = to_number(in_flight.value),
          .queue_ms = to_number(queue_ms.value),
          .reason = reason.value,
          .may_retry_elsewhere = retry.value.has_value(),
          .runs = to_number(runs.value),
          .timed_out_in_queue = queue.value == kTimeout,
          .detail = detail.value};
}

bool is_retryable_rejection(const http::Fields& fields) {
  return fields.has(http::FieldId::kInternal) && fields.find(kRetryHeader.lower).has_value();
}

bool asks_for_queue_time(const http::Fields& fields) {
  return fields.has(http::FieldId::kInternal) && fields.find(kQueueTimeHeader.lower).has_value();
}

std::string_view slot_wait_line(SlotWait wait) {
  switch (wait) {
    case SlotWait::kNone:
      return "X-Bellows-Wait: none\r\n";
    case SlotWait::kBrief:
      return "X-Bellows-Wait: brief\r\n";
    case SlotWait::kUnbounded:
      break;
  }
  return "";
}

SlotWait read_slot_wait(const http::Fields& fields) {
  if (!fields.has(http::FieldId::kInternal)) return SlotWait::kUnbounded;
  const std::string_view wait = fields.find(kWaitHeader.lower).value_or("");
  if (wait == "none") return SlotWait::kNone;
  return wait == "brief" ? SlotWait::kBrief : SlotWait::kUnbounded;
}

}  // namespace bellows::proxy
