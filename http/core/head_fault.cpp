#include <string>

#include "http/core/head.hpp"

namespace bellows::http {

std::string_view fault_text(HeadFault fault) {
  switch (fault) {
    case HeadFault::kBareLineFeed:
      return "a line of the head ends with a bare LF; want CRLF";
    case HeadFault::kBareCarriageReturn:
      return "a line of the head holds a bare CR";
    case HeadFault::kEmptyRequestLine:
      return "the start line is empty";
    case HeadFault::kBadRequestLine:
      return "the request line is not METHOD SP TARGET SP VERSION";
    case HeadFault::kBadMethod:
      return "the method is not a token";
    case HeadFault::kBadTarget:
      return "the target is neither a path, an absolute http URL nor the * of OPTIONS";
    case HeadFault::kTargetTooLong:
      return "the start line is too long";
    case HeadFault::kConnectUnsupported:
      return "CONNECT is not offered here";
    case HeadFault::kBadVersion:
      return "the version is not of the form HTTP/1.1";
    case HeadFault::kVersionUnsupported:
      return "only HTTP/1.0 and HTTP/1.1 are spoken here";
    case HeadFault::kBadStatusLine:
      return "the status line is not VERSION SP 3DIGIT SP REASON";
    case HeadFault::kObsoleteFolding:
      return "a header line starts with white space (obsolete folding)";
    case HeadFault::kMissingColon:
      return "a header line has no colon";
    case HeadFault::kEmptyName:
      return "a header line has no name";
    case HeadFault::kBadNameByte:
      return "a header name holds a byte that no name may hold";
    case HeadFault::kSpaceBeforeColon:
      return "white space stands between a header name and its colon";
    case HeadFault::kBadValueByte:
      return "a header value holds a control byte";
    case HeadFault::kLineTooLong:
      return "a header line is too long";
    case HeadFault::kTooManyFields:
      return "there are too many header lines";
    case HeadFault::kHeadTooLarge:
      return "the header lines are too large together";
    case HeadFault::kMissingHost:
      return "HTTP/1.1 without a Host field";
    case HeadFault::kDuplicateHost:
      return "more than one Host field";
    case HeadFault::kBadHost:
      return "the Host field is not HOST or HOST:PORT";
    case HeadFault::kBadContentLength:
      return "Content-Length is not one number of at most 18 digits";
    case HeadFault::kDuplicateContentLength:
      return "more than one Content-Length field";
    case HeadFault::kLengthAndChunked:
      return "Content-Length and Transfer-Encoding together";
    case HeadFault::kBadTransferEncoding:
      return "Transfer-Encoding does not end with chunked, once";
    case HeadFault::kTransferEncodingUnsupported:
      return "a transfer coding other than chunked";
    case HeadFault::kTransferEncodingInHttp10:
      return "Transfer-Encoding in an HTTP/1.0 message";
    case HeadFault::kBadExpect:
      return "an expectation other than 100-continue";
  }
  return "unknown fault";
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
