#include "proxy/core/error_response.hpp"

#include "base/quantity_text.hpp"

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

int status_of(const Error& error) {
  const bool from_downstream = error.side() == ErrorSide::kDownstream;
  switch (error.kind()) {
    case ErrorKind::kMalformed:
      return error.side() == ErrorSide::kUpstream ? 502 : 400;
    case ErrorKind::kTooLarge:
      return error.side() == ErrorSide::kUpstream ? 502 : 413;
    case ErrorKind::kUnsupported:
      return error.side() == ErrorSide::kUpstream ? 502 : 501;
    case ErrorKind::kNotFound:
      return error.side() == ErrorSide::kUpstream ? 502 : 404;  // a host that nobody knows
    case ErrorKind::kGone:
      return 410;
    case ErrorKind::kConflict:
      return 409;
    case ErrorKind::kOverloaded:
    case ErrorKind::kUnavailable:
    case ErrorKind::kCancelled:
      return 503;
    case ErrorKind::kRefused:
      return 502;
    case ErrorKind::kReset:
      return from_downstream ? 408 : 502;
    case ErrorKind::kTimeout:
      if (from_downstream) return 408;
      return error.side() == ErrorSide::kUpstream ? 504 : 503;
    case ErrorKind::kSystem:
      return error.side() == ErrorSide::kUpstream ? 502 : 500;
    case ErrorKind::kInvalidSetting:
      return 500;
  }
  return 500;
}

int status_of(http::HeadFault fault) {
  using http::HeadFault;
  switch (fault) {
    case HeadFault::kTargetTooLong:
      return 414;
    case HeadFault::kLineTooLong:
    case HeadFault::kTooManyFields:
    case HeadFault::kHeadTooLarge:
      return 431;
    case HeadFault::kBadExpect:
      return 417;
    case HeadFault::kConnectUnsupported:
    case HeadFault::kTransferEncodingUnsupported:
      return 501;
    case HeadFault::kVersionUnsupported:
      return 505;
    default:
      return 400;
  }
}

Answer answer_for(const Error& error, std::optional<int> retry_after_seconds) {
  Answer answer;
  answer.status = status_of(error);
  answer.body = to_string(error) + "\n";
  answer.reason = to_string(error.kind());
  if (answer.status == 503) answer.retry_after_seconds = retry_after_seconds;
  return answer;
}

Answer answer_for(http::HeadFault fault, const http::HeadLimits& limits,
                  const HeadSettings& settings) {
  const Error error = http::to_error(fault, "request", ErrorSide::kDownstream);
  Answer answer =
      answer_for(Error(error.kind(), error.culprit(),
                       error.message() + limit_text(fault, limits, settings), error.side()));
  answer.status = status_of(fault);
  answer.close = true;  // where the next request would begin is anybody's guess
  return answer;
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

void write_answer(const Answer& answer, bool for_head, bool keep_alive, std::string_view date_line,
                  std::string& out) {
  out += "HTTP/1.1 ";
  out += std::to_string(answer.status);
  out += ' ';
  out += reason_phrase(answer.status);
  out += "\r\n";
  if (answer.status != 204) {
    out += "Content-Type: ";
    out += answer.content_type;
    out += "\r\nContent-Length: ";
    out += std::to_string(answer.body.size());
    out += "\r\n";
  }
  if (!answer.reason.empty()) {
    out += "X-Bellows-Reason: ";
    out += answer.reason;
    out += "\r\n";
  }
  if (answer.retry_after_seconds) {
    out += "Retry-After: ";
    out += std::to_string(*answer.retry_after_seconds);
    out += "\r\n";
  }
  out += answer.extra_lines;
  out += date_line;
  out += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
  if (!for_head && answer.status != 204) out += answer.body;
}

}  // namespace bellows::proxy
