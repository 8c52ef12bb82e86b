#include "proxy/core/access_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include "base/check.hpp"
#include "json/writer.hpp"

namespace bellows::proxy {
namespace {

using config::AccessField;

void append_decimal(std::uint64_t number, std::string& out) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end.ptr);
}

void append_milliseconds(Duration duration, std::string& out) {
  std::array<char, 32> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "%.3f", to_seconds(duration) * 1e3);  // NOLINT
  out.append(text.data(), static_cast<std::size_t>(size));
}

/// Appends a field that is a number; returns false for fields that are text.
bool append_if_number(AccessField field, const AccessRecord& record, std::string& out) {
  switch (field) {
    case AccessField::kStatus:
      append_decimal(static_cast<std::uint64_t>(record.status), out);
      return true;
    case AccessField::kRequestBytes:
      append_decimal(record.request_bytes, out);
      return true;
    case AccessField::kResponseBytes:
      append_decimal(record.response_bytes, out);
      return true;
    case AccessField::kRetries:
      append_decimal(static_cast<std::uint64_t>(record.retries), out);
      return true;
    case AccessField::kQueueMs:
      append_milliseconds(record.queued, out);
      return true;
    case AccessField::kLatencyMs:
      append_milliseconds(record.latency, out);
      return true;
    case AccessField::kTime:
      out += rfc3339(record.ended);
      return true;
    case AccessField::kGrpcStatus:
      if (record.grpc_status) out += std::to_string(*record.grpc_status);
      return true;
    default:
      return false;
  }
}

std::string_view text_of(AccessField field, const AccessRecord& record) {
  switch (field) {
    case AccessField::kService:
      return record.service;
    case AccessField::kRevision:
      return record.revision;
    case AccessField::kMethod:
      return record.method;
    case AccessField::kHost:
      return record.host;
    case AccessField::kUrl:
      return record.url;
    case AccessField::kProtocol:
      if (record.is_http2) return "HTTP/2";
      return record.minor_version == 0 ? "HTTP/1.0" : "HTTP/1.1";
    case AccessField::kUserAgent:
      return record.user_agent;
    case AccessField::kReferer:
      return record.referer;
    case AccessField::kRemoteIp:
      return record.remote_ip;
    case AccessField::kServerIp:
      return record.server_ip;
    case AccessField::kReplica:
      return record.replica;
    case AccessField::kTraceId:
      return record.trace_id;
    case AccessField::kRequestId:
      return record.request_id;
    case AccessField::kError:
      return record.error;
    default:
      return {};
  }
}

}  // namespace

AccessLine::AccessLine(std::string_view text) {
  auto pieces = config::parse_access_template(text.empty() ? config::json_access_template()
                                                           : std::string(text));
  CHECK(pieces.has_value(), "the template was read with the settings");
  pieces_ = std::move(*pieces);
}

void AccessLine::append(const AccessRecord& record, std::string& out) const {
  for (const config::AccessPiece& piece : pieces_) {
    out += piece.text;
    if (!piece.field || append_if_number(*piece.field, record, out)) continue;
    json::append_escaped(text_of(*piece.field, record), out);
  }
  out += '\n';
}

std::string rfc3339(WallTime at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::milliseconds>(at - day));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",  // NOLINT
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()));
  return text.data();
}

}  // namespace bellows::proxy
