#include "proxy/core/local_reply.hpp"

#include <algorithm>
#include <string>

#include "base/printable_text.hpp"
#include "base/quantity_text.hpp"
#include "http/core/status.hpp"
#include "proxy/core/hop_headers.hpp"

namespace bellows::proxy {

namespace {

constexpr std::size_t kMaxText = 2048;
constexpr std::size_t kMaxRequestId = 128;
constexpr std::string_view kIdMarks = "-._~:@=+";

}  // namespace

std::string limit_text(http::HeadFault fault, const http::HeadLimits& limits,
                       const HeadSettings& settings) {
  using http::HeadFault;
  std::uint32_t bytes = limits.line;
  switch (fault) {
    case HeadFault::kTooManyFields:
      return settings.fields.empty()
                 ? ", the limit is " + std::to_string(limits.fields)
                 : ", " + std::string(settings.fields) + " is " + std::to_string(limits.fields);
    case HeadFault::kHeadTooLarge:
      bytes = limits.total;
      break;
    case HeadFault::kTargetTooLong:
    case HeadFault::kLineTooLong:
      break;
    default:
      return {};
  }
  const std::string amount = to_string(Bytes{bytes});
  return settings.bytes.empty() ? ", the limit is " + amount + " bytes"
                                : ", " + std::string(settings.bytes) + " is " + amount;
}

std::string_view generic_text(const Error& error) {
  const bool is_callers_own = error.side() == ErrorSide::kDownstream;
  const bool is_of_service = error.side() == ErrorSide::kUpstream;
  switch (error.kind()) {
    case ErrorKind::kNotFound:
      return is_of_service ? "the service is not reachable" : "no service takes this host and path";
    case ErrorKind::kGone:
      return "the service was retired";
    case ErrorKind::kOverloaded:
      return "the service has too many requests";
    case ErrorKind::kUnavailable:
      return is_of_service ? "the service has no replica, and its cluster does not respond"
                           : "the service is not available";
    case ErrorKind::kRefused:
      return "the service is not reachable";
    case ErrorKind::kReset:
      return is_callers_own ? "" : "the service did not respond";
    case ErrorKind::kTimeout:
      return is_callers_own ? "" : "the service did not respond in time";
    case ErrorKind::kMalformed:
    case ErrorKind::kTooLarge:
    case ErrorKind::kUnsupported:
      if (is_callers_own) return "";
      return is_of_service ? "the service's response cannot be used" : "the request cannot be used";
    case ErrorKind::kCancelled:
      return "the server is stopping";
    case ErrorKind::kConflict:
    case ErrorKind::kSystem:
    case ErrorKind::kInvalidSetting:
      return "the server has failed";
  }
  return "the server has failed";
}

LocalReply local_reply_for(const Error& error, std::optional<int> retry_after_seconds) {
  LocalReply reply;
  reply.status = http::status_of(error);
  reply.body = printable(to_string(error), kMaxText) + "\n";
  reply.generic = generic_text(error);
  reply.reason = to_string(error.kind());
  if (reply.status == 503) reply.retry_after_seconds = retry_after_seconds;
  return reply;
}

LocalReply local_reply_for(http::HeadFault fault, const http::HeadLimits& limits,
                           const HeadSettings& settings) {
  const Error error = http::to_error(fault, "request", ErrorSide::kDownstream);
  LocalReply reply =
      local_reply_for(Error(error.kind(), error.culprit(),
                            error.message() + limit_text(fault, limits, settings), error.side()));
  reply.status = http::status_of(fault);
  reply.close = true;  // the beginning of the next request is unknown
  return reply;
}

void withhold_detail(LocalReply& reply, config::ErrorDetail detail, std::string_view request_id) {
  const bool is_generic = detail == config::ErrorDetail::kGeneric;
  if (is_generic) reply.body = reply.generic;
  if (!request_id.empty()) {
    ((reply.extra_lines += "X-Request-Id: ") += request_id) += "\r\n";
    if (is_generic) (reply.body += "; request ") += request_id;
  }
  if (is_generic) reply.body += '\n';
}

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxRequestId && std::ranges::all_of(text, [](char byte) {
    const bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    const bool is_digit = byte >= '0' && byte <= '9';
    return is_letter || is_digit || kIdMarks.find(byte) != std::string_view::npos;
  });
}

void write_local_reply(const LocalReply& reply, bool for_head, bool keep_alive,
                       std::string_view date_line, std::string& out) {
  out += "HTTP/1.1 ";
  out += std::to_string(reply.status);
  out += ' ';
  out += http::reason_phrase(reply.status);
  out += "\r\n";
  if (reply.status != 204) {
    out += "Content-Type: ";
    out += reply.content_type;
    out += "\r\nContent-Length: ";
    out += std::to_string(reply.body.size());
    out += "\r\n";
  }
  if (!reply.reason.empty()) append_hop_headers({.reason = reply.reason}, out);
  if (reply.retry_after_seconds) {
    out += "Retry-After: ";
    out += std::to_string(*reply.retry_after_seconds);
    out += "\r\n";
  }
  out += reply.extra_lines;
  out += date_line;
  out += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
  if (!for_head && reply.status != 204) out += reply.body;
}

}  // namespace bellows::proxy
