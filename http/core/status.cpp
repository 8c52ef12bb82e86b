#include "http/core/status.hpp"

#include <algorithm>
#include <array>

namespace bellows::http {

namespace {

struct Phrase {
  int status;
  std::string_view text;
};

// Ordered by code.
constexpr auto kPhrases = std::to_array<Phrase>({
    {100, "Continue"},
    {101, "Switching Protocols"},
    {103, "Early Hints"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {426, "Upgrade Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
});

constexpr bool is_before(const Phrase& a, const Phrase& b) {
  return a.status < b.status;
}
static_assert(std::is_sorted(kPhrases.begin(), kPhrases.end(), is_before));

}  // namespace

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
      return error.side() == ErrorSide::kUpstream ? 502 : 404;  // a host that no DNS server knows
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

int status_of(HeadFault fault) {
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

int status_of_order(const Error& error) {
  constexpr int kBadRequest = 400;
  constexpr int kUnprocessableContent = 422;
  return error.kind() == ErrorKind::kMalformed ? kBadRequest : kUnprocessableContent;
}

std::string_view reason_phrase(int status) {
  const auto found =
      std::lower_bound(kPhrases.begin(), kPhrases.end(), Phrase{status, {}}, is_before);
  return found != kPhrases.end() && found->status == status ? found->text : "Status";
}

}  // namespace bellows::http
