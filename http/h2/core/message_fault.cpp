#include "http/h2/core/message_fault.hpp"

#include <array>

namespace bellows::http2 {

namespace {

struct Row {
  std::string_view text;
  std::string_view section;
};

constexpr std::array<Row, kMessageFaults> kRows = {{
    {"a field name is empty", "RFC 9113 8.2.1"},
    {"a field name has a byte that no name has", "RFC 9113 8.2.1"},
    {"a field name has an upper-case letter", "RFC 9113 8.2.1"},
    {"a field value has a control byte", "RFC 9113 8.2.1"},
    {"a field value begins or ends with a blank", "RFC 9113 8.2.1"},
    {"a field is connection-specific, which HTTP/2 forbids", "RFC 9113 8.2.2"},
    {"te is not trailers", "RFC 9113 8.2.2"},
    {"a pseudo-header is unknown", "RFC 9113 8.3"},
    {"a pseudo-header follows a field", "RFC 9113 8.3"},
    {"a pseudo-header is repeated", "RFC 9113 8.3"},
    {"a pseudo-header is of the other kind of message", "RFC 9113 8.3"},
    {"a pseudo-header is among the trailers", "RFC 9113 8.1"},
    {":method is missing", "RFC 9113 8.3.1"},
    {":scheme is missing", "RFC 9113 8.3.1"},
    {":path is missing", "RFC 9113 8.3.1"},
    {":status is missing", "RFC 9113 8.3.2"},
    {":method is not a token", "RFC 9110 9.1"},
    {":scheme is not http or https", "RFC 9113 8.3.1"},
    {":path is not an absolute path", "RFC 9113 8.3.1"},
    {":authority is not a host and a port", "RFC 9113 8.3.1"},
    {"Host and :authority differ", "RFC 9113 8.3.1"},
    {"Host is repeated", "RFC 9110 7.2"},
    {"CONNECT has a :scheme or a :path", "RFC 9113 8.5"},
    {":protocol is used without CONNECT", "RFC 8441 4"},
    {":status is not a status", "RFC 9113 8.3.2"},
    {"content-length is not a number", "RFC 9110 8.6"},
    {"content-length is repeated", "RFC 9110 8.6"},
    {"content-length is not the sum of the data", "RFC 9113 8.1.1"},
    {"trailers do not end the stream", "RFC 9113 8.1"},
    {"an interim response ends the stream", "RFC 9113 8.1"},
    {"too many interim responses wait for their caller", "RFC 9113 10.5"},
    {"the fields are too large together", "RFC 9113 10.5.1"},
    {":protocol is not supported", "RFC 8441 4"},
}};

const Row& row(MessageFault fault) {
  return kRows[static_cast<std::size_t>(fault)];
}

}  // namespace

std::string_view fault_text(MessageFault fault) {
  return row(fault).text;
}

std::string_view fault_section(MessageFault fault) {
  return row(fault).section;
}

int fault_status(MessageFault fault) {
  if (fault == MessageFault::kTooLarge) return 431;
  return fault == MessageFault::kUnsupportedProtocol ? 501 : 0;
}

}  // namespace bellows::http2
