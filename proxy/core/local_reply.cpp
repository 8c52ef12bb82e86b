#include "proxy/core/local_reply.hpp"

#include "base/quantity_text.hpp"
#include "http/core/status.hpp"
#include "proxy/core/hop_headers.hpp"

namespace bellows::proxy {

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

LocalReply local_reply_for(const Error& error, std::optional<int> retry_after_seconds) {
  LocalReply reply;
  reply.status = http::status_of(error);
  reply.body = to_string(error) + "\n";
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
  reply.close = true;  // it is unknown where the next request begins
  return reply;
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
