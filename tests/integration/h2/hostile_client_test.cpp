// A client that says what RFC 9113 forbids: nothing of it becomes a request, each case ends as its
// section says, and another connection is served as before.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

#include "http/core/head.hpp"
#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

/// How a case ends.
struct Outcome {
  enum class Kind : std::uint8_t { kGiven, kStreamReset, kGoaway, kStatus, kNothing } kind;
  ErrorCode code = ErrorCode::kNoError;
};
const Outcome kGiven{Outcome::Kind::kGiven};
const Outcome kNothing{Outcome::Kind::kNothing};  ///< ignored, or still incomplete
const Outcome kStatus{Outcome::Kind::kStatus};    ///< a response of the library
const Outcome kMalformed{Outcome::Kind::kStreamReset, ErrorCode::kProtocolError};
Outcome stream(ErrorCode code) {
  return {Outcome::Kind::kStreamReset, code};
}
Outcome goaway(ErrorCode code) {
  return {Outcome::Kind::kGoaway, code};
}

struct Case {
  const char* section;
  const char* what;
  std::string bytes;  ///< after the preface and SETTINGS
  Outcome outcome;
};

std::ostream& operator<<(std::ostream& out, const Case& test) {
  return out << "RFC " << test.section << ": " << test.what;
}

FieldPairs with(FieldPairs all, std::string_view name, const std::string& value) {
  for (auto& pair : all) {
    if (pair.first == name) pair.second = value;
  }
  return all;
}

FieldPairs without(const FieldPairs& all, std::string_view name) {
  FieldPairs rest;
  for (const auto& pair : all) {
    if (pair.first != name) rest.push_back(pair);
  }
  return rest;
}

std::string get(const FieldPairs& more, bool ends = true) {
  return headers(1, plus(kGetFields, more), ends);
}

std::string post(const FieldPairs& more, std::string_view data, bool ends = true) {
  return headers(1, plus(kPostFields, more), false) + frame(test::kData, ends ? 1 : 0, 1, data);
}

/// A request that is whole, on the given stream.
std::string whole(std::uint32_t id) {
  return headers(id, kGetFields);
}

const std::string kNul(1, '\0');
using enum ErrorCode;

const std::vector<Case> kFields = {
    {"9113 8.3.1", "an ordinary request", whole(1), kGiven},
    {"9113 8.2.1", "an upper-case name", get({{"Accept", "x"}}), kMalformed},
    {"9113 8.2.1", "a name with a blank", get({{"a b", "x"}}), kMalformed},
    {"9113 8.2.1", "a name with a blank at its end", get({{"a ", "x"}}), kMalformed},
    {"9113 8.2.1", "a name with a colon", get({{"a:b", "x"}}), kMalformed},
    {"9113 8.2.1", "an empty name", get({{"", "x"}}), kMalformed},
    {"9113 8.2.1", "a name with CRLF", get({{"a\r\nb", "x"}}), kMalformed},
    {"9113 8.2.1", "a name with LF", get({{"a\nb", "x"}}), kMalformed},
    {"9113 8.2.1", "a name with NUL", get({{"a" + kNul, "x"}}), kMalformed},
    {"9113 8.2.1", "a name with DEL", get({{"a\x7f", "x"}}), kMalformed},
    {"9113 8.2.1", "a name above 127", get({{"\xe4", "x"}}), kMalformed},
    {"9113 8.2.1", "a value with CR", get({{"a", "x\ry"}}), kMalformed},
    {"9113 8.2.1", "a value with LF", get({{"a", "x\ny"}}), kMalformed},
    {"9113 8.2.1", "a value with a field in it", get({{"a", "x\r\ncontent-length: 9"}}),
     kMalformed},
    {"9113 8.2.1", "a value with a request in it",
     get({{"a", "x\r\n\r\nGET /admin HTTP/1.1\r\nhost: b"}}), kMalformed},
    {"9113 8.2.1", "a value with NUL", get({{"a", "x" + kNul + "y"}}), kMalformed},
    {"9113 8.2.1", "a value with a control byte", get({{"a", "x\x02y"}}), kMalformed},
    {"9113 8.2.1", "a value with DEL", get({{"a", "x\x7f"}}), kMalformed},
    {"9113 8.2.1", "a value that begins with a blank", get({{"a", " x"}}), kMalformed},
    {"9113 8.2.1", "a value that ends with a blank", get({{"a", "x "}}), kMalformed},
    {"9113 8.2.1", "a value that begins with a tab", get({{"a", "\tx"}}), kMalformed},
    {"9113 8.2.1", "a folded value", get({{"a", "x\r\n y"}}), kMalformed},
    {"9113 8.2.2", "connection: close", get({{"connection", "close"}}), kMalformed},
    {"9113 8.2.2", "connection that names a field", get({{"connection", "x-a"}, {"x-a", "b"}}),
     kMalformed},
    {"9113 8.2.2", "keep-alive", get({{"keep-alive", "timeout=5"}}), kMalformed},
    {"9113 8.2.2", "proxy-connection", get({{"proxy-connection", "keep-alive"}}), kMalformed},
    {"9113 8.2.2", "transfer-encoding: chunked",
     post({{"transfer-encoding", "chunked"}}, "0\r\n\r\nGET /x HTTP/1.1\r\n\r\n"), kMalformed},
    {"9113 8.2.2", "transfer-encoding: identity", get({{"transfer-encoding", "identity"}}),
     kMalformed},
    {"9113 8.2.2", "transfer-encoding that is empty", get({{"transfer-encoding", ""}}), kMalformed},
    {"9113 8.2.2", "transfer-encoding with a tab",
     post({{"transfer-encoding", "\tchunked"}}, "0\r\n\r\n"), kMalformed},
    {"9113 8.2.2", "transfer-encoding in upper case", get({{"Transfer-Encoding", "chunked"}}),
     kMalformed},
    {"9113 8.2.2", "a name that ends as transfer-encoding with CRLF",
     get({{"foo\r\ntransfer-encoding", "chunked"}}), kMalformed},
    {"9113 8.2.2", "transfer-encoding as a part of a value",
     get({{"foo", "b\r\ntransfer-encoding: chunked"}}), kMalformed},
    {"9113 8.2.2", "upgrade: h2c", get({{"upgrade", "h2c"}}), kMalformed},
    {"9113 8.2.2", "upgrade: websocket", get({{"upgrade", "websocket"}}), kMalformed},
    {"9113 8.2.2", "te: gzip", get({{"te", "gzip"}}), kMalformed},
    {"9113 8.2.2", "te: trailers, deflate", get({{"te", "trailers, deflate"}}), kMalformed},
    {"9113 8.2.2", "te: trailers", get({{"te", "trailers"}}), kGiven},
    {"9113 8.3", "an unknown pseudo-header", get({{":foo", "bar"}}), kMalformed},
    {"9113 8.3", "an empty pseudo-header", get({{":", "bar"}}), kMalformed},
    {"9113 8.3", ":status in a request", get({{":status", "200"}}), kMalformed},
    {"9113 8.3", "a pseudo-header behind a field", headers(1, plus({{"a", "b"}}, kGetFields)),
     kMalformed},
    {"9113 8.3", ":path behind a field",
     headers(1, plus(plus(without(kGetFields, ":path"), {{"a", "b"}}), {{":path", "/"}})),
     kMalformed},
    {"9113 8.3", ":method twice", get({{":method", "POST"}}), kMalformed},
    {"9113 8.3", ":path twice", get({{":path", "/admin"}}), kMalformed},
    {"9113 8.3", ":scheme twice", get({{":scheme", "https"}}), kMalformed},
    {"9113 8.3", ":authority twice", get({{":authority", "b"}}), kMalformed},
    {"9113 8.3", ":Path", headers(1, plus(without(kGetFields, ":path"), {{":Path", "/"}})),
     kMalformed},
    {"9113 8.3.1", "no :method", headers(1, without(kGetFields, ":method")), kMalformed},
    {"9113 8.3.1", "no :scheme", headers(1, without(kGetFields, ":scheme")), kMalformed},
    {"9113 8.3.1", "no :path", headers(1, without(kGetFields, ":path")), kMalformed},
    {"9113 8.3.1", "no field at all", headers(1, {}), kMalformed},
    {"9113 8.3.1", "an empty :path", headers(1, with(kGetFields, ":path", "")), kMalformed},
    {"9113 8.3.1", "a relative :path", headers(1, with(kGetFields, ":path", "admin")), kMalformed},
    {"9113 8.3.1", "an absolute :path", headers(1, with(kGetFields, ":path", "http://b/")),
     kMalformed},
    {"9113 8.3.1", "a :path with a request line",
     headers(1, with(kGetFields, ":path", "/ HTTP/1.1\r\nhost: b\r\n\r\nGET /x")), kMalformed},
    {"9113 8.3.1", "a :path with a blank", headers(1, with(kGetFields, ":path", "/a b")),
     kMalformed},
    {"9113 8.3.1", "a :path with a version", headers(1, with(kGetFields, ":path", "/ HTTP/1.0")),
     kMalformed},
    {"9113 8.3.1", "a :path with a fragment", headers(1, with(kGetFields, ":path", "/a#b")),
     kMalformed},
    {"9113 8.3.1", "a :path with NUL", headers(1, with(kGetFields, ":path", "/" + kNul)),
     kMalformed},
    {"9113 8.3.1", "a :path with a tab", headers(1, with(kGetFields, ":path", "/\ta")), kMalformed},
    {"9113 8.3.1", "* with GET", headers(1, with(kGetFields, ":path", "*")), kMalformed},
    {"9113 8.3.1", "* with OPTIONS",
     headers(1, with(with(kGetFields, ":path", "*"), ":method", "OPTIONS")), kGiven},
    {"9113 8.3.1", "an empty :method", headers(1, with(kGetFields, ":method", "")), kMalformed},
    {"9113 8.3.1", "a :method with a blank", headers(1, with(kGetFields, ":method", "GET /x")),
     kMalformed},
    {"9113 8.3.1", "a :method with CRLF", headers(1, with(kGetFields, ":method", "GET\r\n")),
     kMalformed},
    {"9113 8.3.1", "a :method with a colon", headers(1, with(kGetFields, ":method", "G:T")),
     kMalformed},
    {"9113 8.3.1", "a :scheme of another kind", headers(1, with(kGetFields, ":scheme", "file")),
     kMalformed},
    {"9113 8.3.1", "a :scheme with a URI", headers(1, with(kGetFields, ":scheme", "http://x/?y")),
     kMalformed},
    {"9113 8.3.1", "a :scheme with CRLF", headers(1, with(kGetFields, ":scheme", "http\r\nx: y")),
     kMalformed},
    {"9113 8.3.1", "an empty :scheme", headers(1, with(kGetFields, ":scheme", "")), kMalformed},
    {"9113 8.3.1", ":authority with user information",
     headers(1, with(kGetFields, ":authority", "user:pw@a")), kMalformed},
    {"9113 8.3.1", ":authority with a path", headers(1, with(kGetFields, ":authority", "a/b")),
     kMalformed},
    {"9113 8.3.1", ":authority with a blank", headers(1, with(kGetFields, ":authority", "a b")),
     kMalformed},
    {"9113 8.3.1", ":authority with CRLF", headers(1, with(kGetFields, ":authority", "a\r\nx: y")),
     kMalformed},
    {"9113 8.3.1", "an empty :authority", headers(1, with(kGetFields, ":authority", "")),
     kMalformed},
    {"9113 8.3.1", ":authority with a bad port",
     headers(1, with(kGetFields, ":authority", "a:99999")), kMalformed},
    {"9113 8.3.1", ":authority with a comma", headers(1, with(kGetFields, ":authority", "a,b")),
     kMalformed},
    {"9113 8.3.1", "Host that differs", get({{"host", "b"}}), kMalformed},
    {"9113 8.3.1", "Host that differs by its port", get({{"host", "a:8080"}}), kMalformed},
    {"9113 8.3.1", "Host that is empty", get({{"host", ""}}), kMalformed},
    {"9113 8.3.1", "Host that agrees", get({{"host", "a"}}), kGiven},
    {"9110 7.2", "Host twice", get({{"host", "a"}, {"host", "a"}}), kMalformed},
    {"9113 8.3.1", "Host alone",
     headers(1, plus(without(kGetFields, ":authority"), {{"host", "b"}})), kGiven},
    {"9113 8.5", "CONNECT becomes the text that is answered with 501",
     headers(1, {{":method", "CONNECT"}, {":authority", "a:1"}}, false), kGiven},
    {"9113 8.5", "CONNECT with :path", headers(1, with(kGetFields, ":method", "CONNECT"), false),
     kMalformed},
    {"9113 8.5", "CONNECT with :scheme",
     headers(1, {{":method", "CONNECT"}, {":scheme", "http"}, {":authority", "a:1"}}, false),
     kMalformed},
    {"9113 8.5", "CONNECT without :authority", headers(1, {{":method", "CONNECT"}}, false),
     kMalformed},
    {"8441 4", ":protocol without CONNECT", get({{":protocol", "websocket"}}), kMalformed},
    {"8441 4", "an unknown :protocol",
     headers(1, plus(with(kGetFields, ":method", "CONNECT"), {{":protocol", "foo"}}), false),
     kStatus},
    {"8441 4", ":protocol twice",
     headers(1,
             plus(with(kGetFields, ":method", "CONNECT"),
                  {{":protocol", "websocket"}, {":protocol", "websocket"}}),
             false),
     kMalformed},
    {"8441 4", "a WebSocket with a length",
     headers(1,
             plus(with(kGetFields, ":method", "CONNECT"),
                  {{":protocol", "websocket"}, {"content-length", "5"}}),
             false),
     kMalformed},
    {"8441 4", "a WebSocket with CRLF in its protocol",
     headers(1, plus(with(kGetFields, ":method", "CONNECT"), {{":protocol", "websocket\r\nx: y"}}),
             false),
     kMalformed},
    {"9113 10.5.1", "large fields within the limit",
     get({{"a", std::string(15'000, 'x')}, {"b", std::string(900, 'x')}}), kGiven},
};

const std::vector<Case> kBodies = {
    {"9113 8.1.1", "as many bytes as content-length", post({{"content-length", "3"}}, "abc"),
     kGiven},
    {"9113 8.1.1", "more bytes than content-length", post({{"content-length", "3"}}, "abcd"),
     kMalformed},
    {"9113 8.1.1", "fewer bytes than content-length", post({{"content-length", "3"}}, "ab"),
     kMalformed},
    {"9113 8.1.1", "bytes with a length of zero",
     post({{"content-length", "0"}}, "GET /x HTTP/1.1\r\n\r\n"), kMalformed},
    {"9113 8.1.1", "a length and no data", get({{"content-length", "3"}}), kMalformed},
    {"9113 8.1.1", "the length twice, the same",
     post({{"content-length", "3"}, {"content-length", "3"}}, "abc"), kMalformed},
    {"9113 8.1.1", "the length twice, not the same",
     post({{"content-length", "3"}, {"content-length", "0"}}, "abc"), kMalformed},
    {"9110 8.6", "a length with a sign", post({{"content-length", "+3"}}, "abc"), kMalformed},
    {"9110 8.6", "a negative length", post({{"content-length", "-3"}}, "abc"), kMalformed},
    {"9110 8.6", "a hexadecimal length", post({{"content-length", "0x3"}}, "abc"), kMalformed},
    {"9110 8.6", "a list of lengths", post({{"content-length", "3, 3"}}, "abc"), kMalformed},
    {"9110 8.6", "a length with a blank in it", post({{"content-length", "1 3"}}, "abc"),
     kMalformed},
    {"9110 8.6", "a length of letters", post({{"content-length", "abc"}}, "abc"), kMalformed},
    {"9110 8.6", "an empty length", post({{"content-length", ""}}, "abc"), kMalformed},
    {"9110 8.6", "a length beyond 64 bits",
     post({{"content-length", "18446744073709551619"}}, "abc"), kMalformed},
    {"9113 8.1", "trailers", post({}, "abc", false) + headers(1, {{"a", "b"}}), kGiven},
    {"9113 8.1", "trailers without END_STREAM",
     post({}, "abc", false) + headers(1, {{"a", "b"}}, false), kMalformed},
    {"9113 8.1", "a pseudo-header among the trailers",
     post({}, "abc", false) + headers(1, {{":path", "/"}}), kMalformed},
    {"9113 8.1", "a second request as trailers", post({}, "abc", false) + headers(1, kGetFields),
     kMalformed},
    {"9113 8.2.2", "transfer-encoding among the trailers",
     post({}, "abc", false) + headers(1, {{"transfer-encoding", "chunked"}}), kMalformed},
    {"9113 8.2.1", "an upper-case name among the trailers",
     post({}, "abc", false) + headers(1, {{"A", "b"}}), kMalformed},
    {"9113 8.2.1", "CRLF in a trailer",
     post({}, "abc", false) + headers(1, {{"a", "b\r\n\r\nGET / HTTP/1.1"}}), kMalformed},
    {"9113 6.1", "padding that is counted in the frame alone",
     headers(1, plus(kPostFields, {{"content-length", "3"}}), false) +
         frame(test::kData, test::kEndStream | test::kPadded, 1,
               "\x02"
               "abc" +
                   kNul + kNul),
     kGiven},
};

const std::vector<Case> kFrames = {
    {"9113 5.1.1", "an even id", whole(2), goaway(kProtocolError)},
    {"9113 5.1.1", "an id that goes back", whole(5) + headers(3, kGetFields),
     goaway(kProtocolError)},
    {"9113 5.1", "DATA on an idle stream", frame(test::kData, 1, 1, "x"), goaway(kProtocolError)},
    {"9113 5.1", "RST_STREAM on an idle stream", frame(test::kRstStream, 0, 1, number(8, 4)),
     goaway(kProtocolError)},
    {"9113 5.1", "WINDOW_UPDATE on an idle stream", frame(test::kWindowUpdate, 0, 1, number(9, 4)),
     goaway(kProtocolError)},
    {"9113 5.1", "DATA after END_STREAM", whole(1) + frame(test::kData, 1, 1, "x"),
     goaway(kStreamClosed)},
    {"9113 5.1", "HEADERS after END_STREAM", whole(1) + headers(1, {{"a", "b"}}),
     goaway(kStreamClosed)},
    {"9113 5.3.1", "a stream that depends on itself",
     frame(test::kHeaders, test::kEndHeaders | test::kEndStream | test::kHasPriority, 1,
           number(1, 4) + '\x10' + block(kGetFields)),
     goaway(kProtocolError)},
    {"9113 6.1", "DATA on stream 0", frame(test::kData, 0, 0, "x"), goaway(kProtocolError)},
    {"9113 6.1", "padding longer than its frame",
     headers(1, kPostFields, false) + frame(test::kData, test::kPadded, 1,
                                            "\x09"
                                            "abc"),
     goaway(kProtocolError)},
    {"9113 6.2", "HEADERS on stream 0", frame(test::kHeaders, 5, 0, block(kGetFields)),
     goaway(kProtocolError)},
    {"9113 6.2", "padding longer than its HEADERS",
     frame(test::kHeaders, test::kEndHeaders | test::kEndStream | test::kPadded, 1, "\x7f"),
     goaway(kProtocolError)},
    {"9113 6.3", "PRIORITY on stream 0", frame(test::kPriority, 0, 0, number(1, 5)),
     goaway(kProtocolError)},
    {"9113 6.3", "PRIORITY of a wrong size", frame(test::kPriority, 0, 1, number(1, 4)),
     goaway(kFrameSizeError)},
    {"9113 6.4", "RST_STREAM on stream 0", frame(test::kRstStream, 0, 0, number(8, 4)),
     goaway(kProtocolError)},
    {"9113 6.4", "RST_STREAM of a wrong size",
     headers(1, kPostFields, false) + frame(test::kRstStream, 0, 1, number(8, 3)),
     goaway(kFrameSizeError)},
    {"9113 6.5", "SETTINGS on a stream", frame(test::kSettings, 0, 1), goaway(kProtocolError)},
    {"9113 6.5", "SETTINGS of a wrong size", frame(test::kSettings, 0, 0, "abc"),
     goaway(kFrameSizeError)},
    {"9113 6.5", "an acknowledgement with a payload",
     frame(test::kSettings, test::kAck, 0, number(0, 6)), goaway(kFrameSizeError)},
    {"9113 6.5.2", "ENABLE_PUSH of 2", frame(test::kSettings, 0, 0, number(2, 2) + number(2, 4)),
     goaway(kProtocolError)},
    {"9113 6.5.2", "an initial window beyond 2^31 - 1",
     frame(test::kSettings, 0, 0, number(4, 2) + number(0x80000000U, 4)),
     goaway(kFlowControlError)},
    {"9113 6.5.2", "frames smaller than 2^14",
     frame(test::kSettings, 0, 0, number(5, 2) + number(100, 4)), goaway(kProtocolError)},
    {"9113 6.5.2", "frames of 2^24",
     frame(test::kSettings, 0, 0, number(5, 2) + number(0x1000000U, 4)), goaway(kProtocolError)},
    {"8441 3", "ENABLE_CONNECT_PROTOCOL of 2",
     frame(test::kSettings, 0, 0, number(8, 2) + number(2, 4)), goaway(kProtocolError)},
    {"9113 6.5.2", "a setting that nobody knows",
     frame(test::kSettings, 0, 0, number(0x99, 2) + number(2, 4)) + whole(1), kGiven},
    {"9113 6.6", "PUSH_PROMISE of a client",
     frame(test::kPushPromise, 4, 1, number(2, 4) + block(kGetFields)), goaway(kProtocolError)},
    {"9113 6.7", "PING on a stream", frame(test::kPing, 0, 1, number(0, 8)),
     goaway(kProtocolError)},
    {"9113 6.7", "PING of a wrong size", frame(test::kPing, 0, 0, number(0, 7)),
     goaway(kFrameSizeError)},
    {"9113 6.8", "GOAWAY on a stream", frame(test::kGoaway, 0, 1, number(0, 8)),
     goaway(kProtocolError)},
    {"9113 6.8", "GOAWAY of a wrong size", frame(test::kGoaway, 0, 0, number(0, 7)),
     goaway(kFrameSizeError)},
    {"9113 6.9", "an increment of zero for the connection",
     frame(test::kWindowUpdate, 0, 0, number(0, 4)), goaway(kProtocolError)},
    {"9113 6.9", "an increment of zero for a stream",
     headers(1, kPostFields, false) + frame(test::kWindowUpdate, 0, 1, number(0, 4)),
     goaway(kProtocolError)},
    {"9113 6.9", "WINDOW_UPDATE of a wrong size", frame(test::kWindowUpdate, 0, 0, number(9, 3)),
     goaway(kFrameSizeError)},
    {"9113 6.9.1", "a window of the connection beyond 2^31 - 1",
     frame(test::kWindowUpdate, 0, 0, number(0x7fffffffU, 4)), goaway(kFlowControlError)},
    {"9113 6.9.1", "a window of a stream beyond 2^31 - 1",
     headers(1, kPostFields, false) + frame(test::kWindowUpdate, 0, 1, number(0x7fffffffU, 4)),
     stream(kFlowControlError)},
    {"9113 6.10", "CONTINUATION without HEADERS",
     frame(test::kContinuation, 4, 1, block(kGetFields)), goaway(kProtocolError)},
    {"9113 6.10", "CONTINUATION of another stream",
     frame(test::kHeaders, 1, 1, block(kGetFields)) + frame(test::kContinuation, 4, 3, block({})),
     goaway(kProtocolError)},
    {"9113 6.10", "another frame within a field block",
     frame(test::kHeaders, 1, 1, block(kGetFields)) + frame(test::kPing, 0, 0, number(0, 8)),
     goaway(kProtocolError)},
    {"9113 6.10", "an unknown frame within a field block",
     frame(test::kHeaders, 1, 1, block(kGetFields)) + frame(0x99, 0, 0), goaway(kProtocolError)},
    {"9113 6.10", "a field block in two frames",
     frame(test::kHeaders, 1, 1, block(kGetFields)) +
         frame(test::kContinuation, 4, 1, block({{"a", "b"}})),
     kGiven},
    {"9113 6.10", "a field block that does not end", frame(test::kHeaders, 1, 1, block(kGetFields)),
     kNothing},
    {"9113 4.1", "a frame of an unknown type", frame(0x99, 7, 5, "x") + whole(1), kGiven},
    {"9113 4.1", "unknown flags", frame(test::kPing, 0xf0, 0, number(0, 8)) + whole(1), kGiven},
    {"9113 4.2", "a DATA frame beyond 2^14",
     headers(1, kPostFields, false) + frame(test::kData, 0, 1, std::string(16'385, 'x')),
     goaway(kFrameSizeError)},
    {"9113 4.2", "a HEADERS frame beyond 2^14",
     frame(test::kHeaders, 4, 1, std::string(16'385, 'x')), goaway(kFrameSizeError)},
    {"9113 4.3", "an index that is not in the table", frame(test::kHeaders, 5, 1, "\xff\x7f"),
     goaway(kCompressionError)},
    {"9113 4.3", "an index of zero", frame(test::kHeaders, 5, 1, "\x80"),
     goaway(kCompressionError)},
    {"9113 4.3", "a field that is cut off",
     frame(test::kHeaders, 5, 1, std::string(1, '\0') + "\x7f\xff"), goaway(kCompressionError)},
    {"7541 5.2", "a Huffman code with its end in it",
     frame(test::kHeaders, 5, 1, kNul + "\x84\xff\xff\xff\xff" + "\x01x"),
     goaway(kCompressionError)},
    {"7541 6.3", "a table larger than allowed", frame(test::kHeaders, 5, 1, "\x3f\xff\xff\x03"),
     goaway(kCompressionError)},
    {"9113 5.4.1", "nothing is taken after GOAWAY", frame(test::kData, 0, 0, "x") + whole(1),
     goaway(kProtocolError)},
};

class HostileClient : public testing::TestWithParam<Case> {
 protected:
  H2World world_;
};

TEST_P(HostileClient, EndsAsItsSectionSays) {
  const Case& test = GetParam();
  world_.start_raw_server();
  world_.greet();
  world_.say(test.bytes);
  const auto heard = world_.heard();
  const test::Frame reset = world_.first(test::kRstStream, 1);
  const test::Frame end = world_.first(test::kGoaway, 0);
  const bool is_given = test.outcome.kind == Outcome::Kind::kGiven;
  if (is_given) {
    ASSERT_EQ(world_.streams.size(), 1U) << test;
    EXPECT_FALSE(world_.streams[0]->was_reset()) << test;
    const std::string text = read_now(*world_.streams[0]);
    http::RequestHead head;
    http::HeadParser parser;
    const http::HeadResult result = parser.read(text, head);
    EXPECT_TRUE(result.is_complete() || head.method == "CONNECT") << test << text;
    EXPECT_EQ(reset.type, 255) << test << reset.code();
    EXPECT_EQ(end.type, 255) << test << end.code(4);
    return;
  }
  for (const ConnectionPtr& given : world_.streams) {
    EXPECT_TRUE(given->was_reset()) << test << read_now(*given);
  }
  switch (test.outcome.kind) {
    case Outcome::Kind::kStreamReset:
      EXPECT_EQ(reset.type, test::kRstStream) << test;
      EXPECT_EQ(error_code_text(reset.code()),
                error_code_text(static_cast<std::uint32_t>(test.outcome.code)))
          << test;
      EXPECT_EQ(end.type, 255) << test << " other streams go on; GOAWAY " << end.code(4);
      break;
    case Outcome::Kind::kGoaway:
      ASSERT_EQ(end.type, test::kGoaway) << test;
      EXPECT_EQ(error_code_text(end.code(4)),
                error_code_text(static_cast<std::uint32_t>(test.outcome.code)))
          << test;
      break;
    case Outcome::Kind::kStatus:
      EXPECT_TRUE(world_.has(test::kHeaders, 1)) << test;
      EXPECT_TRUE(world_.streams.empty()) << test;
      break;
    default:
      EXPECT_TRUE(world_.streams.empty()) << test;
      EXPECT_EQ(end.type, 255) << test;
  }
}

INSTANTIATE_TEST_SUITE_P(Fields, HostileClient, testing::ValuesIn(kFields));
INSTANTIATE_TEST_SUITE_P(Bodies, HostileClient, testing::ValuesIn(kBodies));
INSTANTIATE_TEST_SUITE_P(Frames, HostileClient, testing::ValuesIn(kFrames));

}  // namespace
}  // namespace bellows::http2
