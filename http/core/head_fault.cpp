#include <array>
#include <cstddef>
#include <string>

#include "http/core/head.hpp"

namespace bellows::http {

namespace {

struct Description {
  HeadFault fault;
  std::string_view text;
};

// Ordered as the enumerators.
constexpr auto kDescriptions = std::to_array<Description>({
    {HeadFault::kBareLineFeed, "a line of the head ends with a bare LF; want CRLF"},
    {HeadFault::kBareCarriageReturn, "a line of the head contains a bare CR"},
    {HeadFault::kEmptyStartLine, "the start line is empty"},
    {HeadFault::kBadRequestLine, "the request line is not METHOD SP TARGET SP VERSION"},
    {HeadFault::kBadMethod, "the method is not a token"},
    {HeadFault::kBadTarget,
     "the target is neither a path, an absolute http URL nor the * of OPTIONS"},
    {HeadFault::kTargetTooLong, "the start line is too long"},
    {HeadFault::kConnectUnsupported, "CONNECT is not supported"},
    {HeadFault::kBadVersion, "the version is not of the form HTTP/1.1"},
    {HeadFault::kVersionUnsupported, "only HTTP/1.0 and HTTP/1.1 are supported"},
    {HeadFault::kBadStatusLine, "the status line is not VERSION SP 3DIGIT SP REASON"},
    {HeadFault::kObsoleteFolding, "a header line starts with white space (obsolete folding)"},
    {HeadFault::kMissingColon, "a header line has no colon"},
    {HeadFault::kEmptyName, "a header line has no name"},
    {HeadFault::kBadNameByte, "a header name contains a byte that is not allowed there"},
    {HeadFault::kSpaceBeforeColon, "white space between a header name and its colon"},
    {HeadFault::kBadValueByte, "a header value contains a control byte"},
    {HeadFault::kLineTooLong, "a header line is too long"},
    {HeadFault::kTooManyFields, "there are too many header lines"},
    {HeadFault::kHeadTooLarge, "the header lines are too large together"},
    {HeadFault::kMissingHost, "HTTP/1.1 without a Host field"},
    {HeadFault::kDuplicateHost, "more than one Host field"},
    {HeadFault::kBadHost, "the Host field is not HOST or HOST:PORT"},
    {HeadFault::kBadPort, "the port of the host is not a number from 0 to 65535"},
    {HeadFault::kBadContentLength, "Content-Length is not one number of at most 18 digits"},
    {HeadFault::kDuplicateContentLength, "more than one Content-Length, or several that differ"},
    {HeadFault::kLengthAndChunked, "Content-Length and Transfer-Encoding together"},
    {HeadFault::kBadTransferEncoding, "Transfer-Encoding does not end with chunked, once"},
    {HeadFault::kTransferEncodingUnsupported, "a transfer coding other than chunked"},
    {HeadFault::kTransferEncodingInHttp10, "Transfer-Encoding in an HTTP/1.0 message"},
    {HeadFault::kBadExpect, "an expectation other than 100-continue"},
});

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kDescriptions.size(); ++i) {
    if (static_cast<std::size_t>(kDescriptions[i].fault) != i) return false;
  }
  return true;
}
static_assert(is_in_order() && kDescriptions.back().fault == HeadFault::kBadExpect,
              "each fault has its description, in the order of the enumerators");

}  // namespace

std::string_view fault_text(HeadFault fault) {
  return kDescriptions[static_cast<std::size_t>(fault)].text;
}

Error to_error(HeadFault fault, std::string_view culprit, ErrorSide side) {
  ErrorKind kind = ErrorKind::kMalformed;
  switch (fault) {
    case HeadFault::kTargetTooLong:
    case HeadFault::kLineTooLong:
    case HeadFault::kTooManyFields:
    case HeadFault::kHeadTooLarge:
      kind = ErrorKind::kTooLarge;
      break;
    case HeadFault::kConnectUnsupported:
    case HeadFault::kVersionUnsupported:
    case HeadFault::kTransferEncodingUnsupported:
    case HeadFault::kBadExpect:
      kind = ErrorKind::kUnsupported;
      break;
    default:
      break;
  }
  return Error(kind, std::string(culprit), std::string(fault_text(fault)), side);
}

}  // namespace bellows::http
