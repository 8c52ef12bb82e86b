// Field blocks of HTTP/2 as HTTP/1.1 text: each rule of RFC 9113 8 with an example.
#include "http/h2/core/field_block.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/head_parts.hpp"

namespace bellows::http2 {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Kind = FieldBlock::Kind;

const Pairs kGet = {{":method", "GET"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/"}};

Pairs operator+(Pairs all, const Pairs& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

Pairs without(const Pairs& all, std::string_view name) {
  Pairs rest;
  for (const auto& pair : all) {
    if (pair.first != name) rest.push_back(pair);
  }
  return rest;
}

Pairs with(Pairs all, std::string_view name, std::string value) {
  for (auto& pair : all) {
    if (pair.first == name) pair.second = std::move(value);
  }
  return all;
}

void add(FieldBlock& block, const Pairs& fields) {
  for (const auto& [name, value] : fields) block.add(name, value);
}

struct Case {
  const char* what;
  Pairs fields;
  std::optional<MessageFault> fault;
};

std::ostream& operator<<(std::ostream& out, const Case& test) {
  return out << test.what;
}

/// What a block knows of its head is what a reader of the text finds. Returns whether it knows it.
template <class Head>
bool expect_described(const FieldBlock& block) {
  Head head;
  if (!block.describe(head)) return false;
  EXPECT_EQ(block.fault(), std::nullopt);
  EXPECT_EQ(test::parts_of(head), test::parts_in<Head>(block.text()));
  return true;
}

std::optional<MessageFault> request_fault(const Pairs& fields, bool ends = true) {
  const Limits limits;
  FieldBlock block(limits);
  block.begin(Kind::kRequest);
  add(block, fields);
  const std::optional<MessageFault> fault = block.end_request(ends, "key");
  expect_described<http::RequestHead>(block);
  return fault;
}

class Requests : public testing::TestWithParam<Case> {};

TEST_P(Requests, AreCheckedAsTheRfcSays) {
  EXPECT_EQ(request_fault(GetParam().fields), GetParam().fault) << GetParam().what;
}

using enum MessageFault;

const std::vector<Case> kRequests = {
    {"an ordinary one", kGet, std::nullopt},
    {"8.2.1 an empty name", kGet + Pairs{{"", "x"}}, kEmptyName},
    {"8.2.1 an upper-case name", kGet + Pairs{{"Accept", "x"}}, kUpperCaseName},
    {"8.2.1 upper case at the end", kGet + Pairs{{"accepT", "x"}}, kUpperCaseName},
    {"8.2.1 a blank in a name", kGet + Pairs{{"a b", "x"}}, kBadNameByte},
    {"8.2.1 a blank behind a name", kGet + Pairs{{"ab ", "x"}}, kBadNameByte},
    {"8.2.1 a colon in a name", kGet + Pairs{{"a:b", "x"}}, kBadNameByte},
    {"8.2.1 a CRLF in a name", kGet + Pairs{{"a\r\nhost", "x"}}, kBadNameByte},
    {"8.2.1 a NUL in a name", kGet + Pairs{{std::string("a\0b", 3), "x"}}, kBadNameByte},
    {"8.2.1 a byte above 127 in a name", kGet + Pairs{{"\xc3\xa4", "x"}}, kBadNameByte},
    {"8.2.1 a DEL in a name", kGet + Pairs{{"a\x7f", "x"}}, kBadNameByte},
    {"8.2.1 a CR in a value", kGet + Pairs{{"a", "x\ry"}}, kBadValueByte},
    {"8.2.1 a LF in a value", kGet + Pairs{{"a", "x\ny"}}, kBadValueByte},
    {"8.2.1 a whole line in a value", kGet + Pairs{{"a", "x\r\nhost: b"}}, kBadValueByte},
    {"8.2.1 a NUL in a value", kGet + Pairs{{"a", std::string("x\0y", 3)}}, kBadValueByte},
    {"8.2.1 a control byte in a value", kGet + Pairs{{"a", "x\x01y"}}, kBadValueByte},
    {"8.2.1 a DEL in a value", kGet + Pairs{{"a", "x\x7fy"}}, kBadValueByte},
    {"8.2.1 a value with a blank before it", kGet + Pairs{{"a", " x"}}, kBlankAroundValue},
    {"8.2.1 a value with a tab behind it", kGet + Pairs{{"a", "x\t"}}, kBlankAroundValue},
    {"8.2.1 a value that is a blank", kGet + Pairs{{"a", " "}}, kBlankAroundValue},
    {"8.2.1 an empty value", kGet + Pairs{{"a", ""}}, std::nullopt},
    {"8.2.1 a tab and UTF-8 within a value", kGet + Pairs{{"a", "x\t\xc3\xa4"}}, std::nullopt},
    {"8.2.2 connection", kGet + Pairs{{"connection", "close"}}, kConnectionField},
    {"8.2.2 keep-alive", kGet + Pairs{{"keep-alive", "1"}}, kConnectionField},
    {"8.2.2 proxy-connection", kGet + Pairs{{"proxy-connection", "close"}}, kConnectionField},
    {"8.2.2 transfer-encoding", kGet + Pairs{{"transfer-encoding", "chunked"}}, kConnectionField},
    {"8.2.2 upgrade", kGet + Pairs{{"upgrade", "websocket"}}, kConnectionField},
    {"8.2.2 te with gzip", kGet + Pairs{{"te", "gzip"}}, kBadTe},
    {"8.2.2 te with more than trailers", kGet + Pairs{{"te", "trailers, gzip"}}, kBadTe},
    {"8.2.2 te: trailers", kGet + Pairs{{"te", "trailers"}}, std::nullopt},
    {"8.3 an unknown pseudo-header", kGet + Pairs{{":host", "a"}}, kUnknownPseudo},
    {"8.3 an empty pseudo-header", kGet + Pairs{{":", "a"}}, kEmptyName},
    {"8.3 a pseudo-header in upper case", kGet + Pairs{{":Path", "/b"}}, kUpperCaseName},
    {"8.3 a pseudo-header of a response", kGet + Pairs{{":status", "200"}}, kPseudoOfOtherKind},
    {"8.3 a pseudo-header behind a field", Pairs{{"a", "b"}} + kGet, kPseudoAfterField},
    {"8.3 :method twice", kGet + Pairs{{":method", "GET"}}, kDuplicatePseudo},
    {"8.3 :scheme twice", kGet + Pairs{{":scheme", "http"}}, kDuplicatePseudo},
    {"8.3 :authority twice", kGet + Pairs{{":authority", "b"}}, kDuplicatePseudo},
    {"8.3 :path twice", kGet + Pairs{{":path", "/b"}}, kDuplicatePseudo},
    {"8.3.1 no :method", without(kGet, ":method"), kMissingMethod},
    {"8.3.1 no :scheme", without(kGet, ":scheme"), kMissingScheme},
    {"8.3.1 no :path", without(kGet, ":path"), kMissingPath},
    {"8.3.1 no :authority and no Host", without(kGet, ":authority"), std::nullopt},
    {"8.3.1 an empty :method", with(kGet, ":method", ""), kBadMethod},
    {"8.3.1 a blank in :method", with(kGet, ":method", "GET /admin"), kBadMethod},
    {"8.3.1 a request line in :method", with(kGet, ":method", "GET / HTTP/1.1\r\nx:"),
     kBadValueByte},
    {"8.3.1 a :scheme that is neither http nor https", with(kGet, ":scheme", "ftp"), kBadScheme},
    {"8.3.1 a :scheme with more behind it", with(kGet, ":scheme", "http://b/?"), kBadScheme},
    {"8.3.1 https", with(kGet, ":scheme", "https"), std::nullopt},
    {"8.3.1 an empty :path", with(kGet, ":path", ""), kBadPath},
    {"8.3.1 a :path without a slash", with(kGet, ":path", "a"), kBadPath},
    {"8.3.1 a :path with a host", with(kGet, ":path", "http://b/"), kBadPath},
    {"8.3.1 a blank in :path", with(kGet, ":path", "/ HTTP/1.1"), kBadPath},
    {"8.3.1 a tab in :path", with(kGet, ":path", "/a\tb"), kBadPath},
    {"8.3.1 a fragment in :path", with(kGet, ":path", "/#a"), kBadPath},
    {"8.3.1 a byte above 127 in :path", with(kGet, ":path", "/\xc3\xa4"), kBadPath},
    {"8.3.1 a CRLF in :path", with(kGet, ":path", "/ HTTP/1.1\r\nx: "), kBlankAroundValue},
    {"8.3.1 * with GET", with(kGet, ":path", "*"), kBadPath},
    {"8.3.1 * with OPTIONS", with(with(kGet, ":path", "*"), ":method", "OPTIONS"), std::nullopt},
    {"8.3.1 user information in :authority", with(kGet, ":authority", "u@a"), kBadAuthority},
    {"8.3.1 a path in :authority", with(kGet, ":authority", "a/b"), kBadAuthority},
    {"8.3.1 an empty :authority", with(kGet, ":authority", ""), kBadAuthority},
    {"8.3.1 a port that is none", with(kGet, ":authority", "a:b"), kBadAuthority},
    {"8.3.1 two hosts in :authority", with(kGet, ":authority", "a, b"), kBadAuthority},
    {"8.3.1 :authority with a port", with(kGet, ":authority", "a:80"), std::nullopt},
    {"8.3.1 :authority that is IPv6", with(kGet, ":authority", "[::1]:80"), std::nullopt},
    {"8.3.1 Host that differs", kGet + Pairs{{"host", "b"}}, kHostDiffers},
    {"8.3.1 Host with another port", kGet + Pairs{{"host", "a:81"}}, kHostDiffers},
    {"8.3.1 an empty Host", kGet + Pairs{{"host", ""}}, kHostDiffers},
    {"8.3.1 the same Host", kGet + Pairs{{"host", "A"}}, std::nullopt},
    {"9110 7.2 Host twice", kGet + Pairs{{"host", "a"}, {"host", "a"}}, kDuplicateHost},
    {"8.5 CONNECT", {{":method", "CONNECT"}, {":authority", "a:1"}}, std::nullopt},
    {"8.5 CONNECT with :path", with(kGet, ":method", "CONNECT"), kConnectWithPath},
    {"8.5 CONNECT with :scheme", without(with(kGet, ":method", "CONNECT"), ":path"),
     kConnectWithPath},
    {"8.5 CONNECT without :authority", {{":method", "CONNECT"}}, kBadAuthority},
    {"8441 4 :protocol with GET", kGet + Pairs{{":protocol", "websocket"}},
     kProtocolWithoutConnect},
    {"8441 4 another protocol",
     with(kGet, ":method", "CONNECT") + Pairs{{":protocol", "connect-udp"}}, kUnsupportedProtocol},
    {"8441 4 no :path",
     without(with(kGet, ":method", "CONNECT"), ":path") + Pairs{{":protocol", "websocket"}},
     kMissingPath},
    {"8441 4 a length",
     with(kGet, ":method", "CONNECT") + Pairs{{":protocol", "websocket"}, {"content-length", "3"}},
     kBadContentLength},
    {"9110 8.6 a length of letters", kGet + Pairs{{"content-length", "x"}}, kBadContentLength},
    {"9110 8.6 a length with a sign", kGet + Pairs{{"content-length", "+1"}}, kBadContentLength},
    {"9110 8.6 a negative length", kGet + Pairs{{"content-length", "-1"}}, kBadContentLength},
    {"9110 8.6 a list of lengths", kGet + Pairs{{"content-length", "0, 0"}}, kBadContentLength},
    {"9110 8.6 an empty length", kGet + Pairs{{"content-length", ""}}, kBadContentLength},
    {"9110 8.6 a length of 2^64", kGet + Pairs{{"content-length", "18446744073709551616"}},
     kBadContentLength},
    {"9110 8.6 the length twice", kGet + Pairs{{"content-length", "0"}, {"content-length", "0"}},
     kDuplicateContentLength},
    {"8.1.1 a length without data", kGet + Pairs{{"content-length", "3"}}, kLengthDiffers},
    {"10.5.1 a field that is too large", kGet + Pairs{{"a", std::string(33'000, 'x')}}, kTooLarge},
    {"10.5.1 too many fields", kGet + Pairs(97, {"a", "b"}), kTooLarge},
    {"10.5.1 as many as may be", kGet + Pairs(96, {"a", "b"}), std::nullopt},
};

INSTANTIATE_TEST_SUITE_P(Rfc9113, Requests, testing::ValuesIn(kRequests));

struct Text {
  Pairs fields;
  bool ends = true;
  std::string text;
  bool is_described = true;
};

TEST(FieldBlock, ARequestIsAHeadOfHttp11) {
  const Pairs post = with(with(kGet, ":method", "POST"), ":path", "/p?q");
  const std::vector<Text> cases = {
      {kGet, true, "GET / HTTP/1.1\r\nhost: a\r\n\r\n"},
      {kGet, false, "GET / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"},
      {post + Pairs{{"content-length", "007"}}, false,
       "POST /p?q HTTP/1.1\r\nhost: a\r\ncontent-length: 7\r\n\r\n"},
      {post + Pairs{{"content-length", "0"}}, true,
       "POST /p?q HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n"},
      {without(kGet, ":authority") + Pairs{{"host", "b"}}, true,
       "GET / HTTP/1.1\r\nhost: b\r\n\r\n", false},
      {without(kGet, ":authority"), true, "GET / HTTP/1.1\r\n\r\n", false},
      {kGet + Pairs{{"expect", "200-ok"}}, true,
       "GET / HTTP/1.1\r\nhost: a\r\nexpect: 200-ok\r\n\r\n", false},
      {with(with(kGet, ":path", "*"), ":method", "OPTIONS"), true,
       "OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n", false},
      {kGet + Pairs{{"content-length", "1000000000000000000"}}, false,
       "GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000000000000000\r\n\r\n", false},
      {kGet + Pairs{{"cookie", "a=1"}, {"te", "trailers"}, {"cookie", "b=2"}, {"host", "A"}}, true,
       "GET / HTTP/1.1\r\nhost: a\r\nte: trailers\r\ncookie: a=1; b=2\r\n\r\n"},
      {{{":method", "CONNECT"}, {":authority", "a:1"}},
       true,
       "CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n",
       false},
      {with(kGet, ":method", "CONNECT") +
           Pairs{{":protocol", "websocket"}, {"sec-websocket-key", "theirs"}, {"origin", "o"}},
       false,
       "GET / HTTP/1.1\r\nhost: a\r\norigin: o\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
       "sec-websocket-key: key\r\n\r\n",
       false},
  };
  const Limits limits;
  FieldBlock block(limits);
  for (const Text& test : cases) {
    block.begin(Kind::kRequest);
    add(block, test.fields);
    EXPECT_EQ(block.end_request(test.ends, "key"), std::nullopt);
    EXPECT_EQ(block.text(), test.text);
    EXPECT_EQ(expect_described<http::RequestHead>(block), test.is_described) << test.text;
  }
}

std::optional<MessageFault> response_fault(const Pairs& fields, bool ends) {
  const Limits limits;
  FieldBlock block(limits);
  block.begin(Kind::kResponse);
  add(block, fields);
  const std::optional<MessageFault> fault = block.end_response(ends, {});
  expect_described<http::ResponseHead>(block);
  return fault;
}

TEST(FieldBlock, AResponseIsCheckedAsTheRfcSays) {
  const Pairs ok = {{":status", "200"}};
  EXPECT_EQ(response_fault(ok, true), std::nullopt);
  EXPECT_EQ(response_fault({}, true), kMissingStatus);
  EXPECT_EQ(response_fault({{"a", "b"}}, true), kMissingStatus);
  EXPECT_EQ(response_fault({{":status", "99"}}, true), kBadStatus);
  EXPECT_EQ(response_fault({{":status", "2000"}}, true), kBadStatus);
  EXPECT_EQ(response_fault({{":status", "2xx"}}, true), kBadStatus);
  EXPECT_EQ(response_fault({{":status", "-20"}}, true), kBadStatus);
  EXPECT_EQ(response_fault({{":status", "101"}}, false), kBadStatus) << "8.6";
  EXPECT_EQ(response_fault({{":status", "100"}}, true), kInterimEnds) << "8.1";
  EXPECT_EQ(response_fault({{":status", "103"}}, false), std::nullopt);
  EXPECT_EQ(response_fault(ok + ok, true), kDuplicatePseudo);
  EXPECT_EQ(response_fault(ok + Pairs{{":path", "/"}}, true), kPseudoOfOtherKind);
  EXPECT_EQ(response_fault(Pairs{{"a", "b"}} + ok, true), kPseudoAfterField);
  EXPECT_EQ(response_fault(ok + Pairs{{"Server", "x"}}, true), kUpperCaseName);
  EXPECT_EQ(response_fault(ok + Pairs{{"a", "b\r\nset-cookie: c"}}, true), kBadValueByte);
  EXPECT_EQ(response_fault(ok + Pairs{{"connection", "close"}}, true), kConnectionField);
  EXPECT_EQ(response_fault(ok + Pairs{{"transfer-encoding", "chunked"}}, true), kConnectionField);
  EXPECT_EQ(response_fault(ok + Pairs{{"content-length", "2"}}, true), kLengthDiffers);
  EXPECT_EQ(response_fault(ok + Pairs{{"content-length", "2"}}, false), std::nullopt);
  EXPECT_EQ(response_fault({{":status", "304"}, {"content-length", "2"}}, true), std::nullopt);
}

TEST(FieldBlock, AResponseIsAHeadOfHttp11) {
  const Limits limits;
  FieldBlock block(limits);
  const auto text = [&](const Pairs& fields, bool ends, const ResponseTo& to = {}) {
    block.begin(Kind::kResponse);
    add(block, fields);
    EXPECT_EQ(block.end_response(ends, to), std::nullopt);
    const bool is_ordinary = block.facts().status >= 200 && !block.facts().is_tunnel;
    EXPECT_EQ(expect_described<http::ResponseHead>(block), is_ordinary);
    return std::string(block.text());
  };
  EXPECT_EQ(text({{":status", "200"}, {"a", "b"}}, false),
            "HTTP/1.1 200 OK\r\na: b\r\ntransfer-encoding: chunked\r\n\r\n");
  EXPECT_EQ(text({{":status", "200"}, {"content-length", "5"}}, false),
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n");
  EXPECT_EQ(text({{":status", "200"}, {"grpc-status", "5"}}, true),
            "HTTP/1.1 200 OK\r\ngrpc-status: 5\r\ntransfer-encoding: chunked\r\n\r\n")
      << "the last chunk follows, so that it is known where it ends";
  EXPECT_EQ(text({{":status", "204"}, {"content-length", "5"}}, true),
            "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(text({{":status", "200"}, {"content-length", "5"}}, true, {.is_head = true}),
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n");
  EXPECT_EQ(text({{":status", "200"}}, true, {.is_head = true}), "HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(text({{":status", "103"}, {"link", "x"}}, false),
            "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n");
  const ResponseTo handshake = {.is_tunnel = true, .websocket_key = "dGhlIHNhbXBsZSBub25jZQ=="};
  EXPECT_EQ(text({{":status", "200"}}, false, handshake),
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
            "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
  EXPECT_EQ(text({{":status", "403"}}, false, handshake),
            "HTTP/1.1 403 Forbidden\r\ntransfer-encoding: chunked\r\n\r\n");
}

TEST(FieldBlock, TrailersAreFieldLines) {
  const Limits limits;
  FieldBlock block(limits);
  const auto fault = [&](const Pairs& fields, bool ends = true) {
    block.begin(Kind::kTrailers);
    add(block, fields);
    return block.end_trailers(ends);
  };
  EXPECT_EQ(fault({{"grpc-status", "0"}, {"grpc-message", ""}}), std::nullopt);
  EXPECT_EQ(block.text(), "grpc-status: 0\r\ngrpc-message: \r\n");
  EXPECT_EQ(fault({{"a", "b"}}, false), kTrailersWithoutEnd) << "8.1";
  EXPECT_EQ(fault({{":status", "200"}}), kPseudoInTrailers) << "8.1";
  EXPECT_EQ(fault({{":path", "/"}}), kPseudoInTrailers) << "8.1";
  EXPECT_EQ(fault({{"A", "b"}}), kUpperCaseName);
  EXPECT_EQ(fault({{"a", "b\r\n\r\nGET / HTTP/1.1"}}), kBadValueByte);
  EXPECT_EQ(fault({{"transfer-encoding", "chunked"}}), kConnectionField);
  EXPECT_EQ(fault({{"a", std::string(8192, 'x')}}), kTooLarge);
}

TEST(MessageFault, EachHasATextAndASection) {
  for (std::size_t i = 0; i < kMessageFaults; ++i) {
    const auto fault = static_cast<MessageFault>(i);
    EXPECT_FALSE(fault_text(fault).empty()) << i;
    EXPECT_TRUE(fault_section(fault).starts_with("RFC ")) << i;
  }
  EXPECT_EQ(fault_status(kTooLarge), 431);
  EXPECT_EQ(fault_status(kUnsupportedProtocol), 501);
  EXPECT_EQ(fault_status(kBadPath), 0);
}

}  // namespace
}  // namespace bellows::http2
