#include "http/core/head.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "http/core/framing.hpp"

namespace bellows::http {
namespace {

/// "" if accepted, otherwise the reason of the rejection; "more" if the head is not complete.
template <class Head>
std::string outcome(std::string_view text, HeadLimits limits = {}) {
  HeadParser parser(limits);
  const auto head = std::make_unique<Head>();
  const HeadResult result = parser.read(text, *head);
  if (result.is_fault()) return std::string(fault_text(*result.fault()));
  return result.is_complete() ? "" : "more";
}

std::string reason(HeadFault fault) {
  return std::string(fault_text(fault));
}

struct Rejected {
  const char* what;
  std::string text;
  HeadFault fault;
};

std::string get(const std::string& lines) {
  return "GET / HTTP/1.1\r\nHost: a.example\r\n" + lines + "\r\n";
}

std::string post(const std::string& lines) {
  return "POST /x HTTP/1.1\r\nHost: a.example\r\n" + lines + "\r\n";
}

using F = HeadFault;

// NOLINTNEXTLINE(cert-err58-cpp): a table of text
const std::vector<Rejected> kRejectedRequests = {
    // Line ends.
    {"bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", F::kBareLineFeed},
    {"bare LF after a field", "GET / HTTP/1.1\r\nHost: a\n\r\n", F::kBareLineFeed},
    {"bare LF as the last line", "GET / HTTP/1.1\r\nHost: a\r\n\n", F::kBareLineFeed},
    {"bare LF everywhere", "GET / HTTP/1.1\nHost: a\n\n", F::kBareLineFeed},
    {"only LF", "\n", F::kBareLineFeed},
    {"CR CR LF", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", F::kBareCarriageReturn},
    {"bare CR in a value", get("X: a\rb\r\n"), F::kBareCarriageReturn},
    {"bare CR before a smuggled field", get("X: a\rContent-Length: 5\r\n"), F::kBareCarriageReturn},
    {"bare CR in the request line", "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n", F::kBareCarriageReturn},
    {"bare CR as a method separator", "GET\r/ HTTP/1.1\r\nHost: a\r\n\r\n", F::kBareCarriageReturn},
    // Request line.
    {"two empty lines first", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", F::kEmptyStartLine},
    {"HTTP/0.9", "GET /\r\n\r\n", F::kBadRequestLine},
    {"a method alone", "GET\r\n\r\n", F::kBadRequestLine},
    {"no method", " / HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadMethod},
    {"two spaces before the target", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"two spaces after the target", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"no target", "GET  HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadRequestLine},
    {"a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"a trailing space", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", F::kBadVersion},
    {"tabs between the parts", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", F::kBadRequestLine},
    {"a tab in the target", "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"a brace in the method", "G{T / HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadMethod},
    {"a colon in the method", "GET: / HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadMethod},
    {"a NUL in the method", std::string("G\0T / HTTP/1.1\r\nHost: a\r\n\r\n", 27), F::kBadMethod},
    {"a TLS hello", std::string("\x16\x03\x01\x02 \x01\x01 \r\n\r\n", 13), F::kBadMethod},
    // Target.
    {"a relative target", "GET x HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"a target in the wrong scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"an absolute target without host", "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"user information", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"a fragment", "GET /x#y HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"a NUL in the target", std::string("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 28), F::kBadTarget},
    {"a byte above 127 in the target", "GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"DEL in the target", "GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"an asterisk with GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    {"CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", F::kConnectUnsupported},
    {"CONNECT with a path", "CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", F::kConnectUnsupported},
    {"authority form with GET", "GET a:443 HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadTarget},
    // Version.
    {"HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", F::kVersionUnsupported},
    {"the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", F::kVersionUnsupported},
    {"HTTP/0.9 in words", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", F::kVersionUnsupported},
    {"lower case version", "GET / http/1.1\r\nHost: a\r\n\r\n", F::kBadVersion},
    {"a version with two digits", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", F::kBadVersion},
    {"a version without minor", "GET / HTTP/1\r\nHost: a\r\n\r\n", F::kBadVersion},
    {"a version with a comma", "GET / HTTP/1,1\r\nHost: a\r\n\r\n", F::kBadVersion},
    {"no protocol name", "GET / 1.1\r\nHost: a\r\n\r\n", F::kBadVersion},
    // Field lines.
    {"folding", get("X: a\r\n b\r\n"), F::kObsoleteFolding},
    {"folding by a tab", get("X: a\r\n\tb\r\n"), F::kObsoleteFolding},
    {"folding the first line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", F::kObsoleteFolding},
    {"folding an empty line", get("X: a\r\n \r\n"), F::kObsoleteFolding},
    {"a space before the colon", get("X : a\r\n"), F::kSpaceBeforeColon},
    {"a tab before the colon", get("X\t: a\r\n"), F::kSpaceBeforeColon},
    {"a space before the colon of Content-Length", post("Content-Length : 5\r\n"),
     F::kSpaceBeforeColon},
    {"a space before the colon of Transfer-Encoding", post("Transfer-Encoding : chunked\r\n"),
     F::kSpaceBeforeColon},
    {"a space within a name", get("X y: a\r\n"), F::kBadNameByte},
    {"no colon", get("nonsense\r\n"), F::kMissingColon},
    {"no name", get(": a\r\n"), F::kEmptyName},
    {"a NUL in a name", get(std::string("X\0: a\r\n", 7)), F::kBadNameByte},
    {"a NUL in a value", get(std::string("X: a\0b\r\n", 8)), F::kBadValueByte},
    {"an escape in a value", get("X: a\x1b[2J\r\n"), F::kBadValueByte},
    {"DEL in a value", get("X: a\x7f\r\n"), F::kBadValueByte},
    {"vertical tab in front of a value", post("Transfer-Encoding: \vchunked\r\n"),
     F::kBadValueByte},
    {"form feed in a value", post("Content-Length: \f5\r\n"), F::kBadValueByte},
    {"a byte above 127 in a name", get("X\xe9: a\r\n"), F::kBadNameByte},
    {"parentheses in a name", get("X(): a\r\n"), F::kBadNameByte},
    {"a quote in a name", get("\"X\": a\r\n"), F::kBadNameByte},
    {"an at sign in a name", get("X@: a\r\n"), F::kBadNameByte},
    // Host.
    {"no Host", "GET / HTTP/1.1\r\n\r\n", F::kMissingHost},
    {"no Host with an absolute target", "GET http://a/ HTTP/1.1\r\n\r\n", F::kMissingHost},
    {"two Hosts", get("Host: b.example\r\n"), F::kDuplicateHost},
    {"the same Host twice", get("Host: a.example\r\n"), F::kDuplicateHost},
    {"two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n", F::kDuplicateHost},
    {"a list of hosts", "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n", F::kBadHost},
    {"a host with a space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", F::kBadHost},
    {"a host with a path", "GET / HTTP/1.1\r\nHost: a/x\r\n\r\n", F::kBadHost},
    {"a host with user information", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", F::kBadHost},
    {"a port that is none", "GET / HTTP/1.1\r\nHost: a:http\r\n\r\n", F::kBadPort},
    {"a port beyond 65535", "GET / HTTP/1.1\r\nHost: a:123456\r\n\r\n", F::kBadPort},
    {"such a port in the target, RFC 9112 3.2.2",
     "GET http://a:123456/ HTTP/1.1\r\nHost: a\r\n\r\n", F::kBadPort},
    {"a port without host", "GET / HTTP/1.1\r\nHost: :80\r\n\r\n", F::kBadHost},
    {"two ports", "GET / HTTP/1.1\r\nHost: a:80:81\r\n\r\n", F::kBadPort},
    {"a broken IPv6 address", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", F::kBadHost},
    {"text behind an IPv6 address", "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n", F::kBadHost},
    {"a bare IPv6 address", "GET / HTTP/1.1\r\nHost: ::1\r\n\r\n", F::kBadHost},
    // Length.
    {"no number", post("Content-Length: five\r\n"), F::kBadContentLength},
    {"an empty length", post("Content-Length:\r\n"), F::kBadContentLength},
    {"a plus", post("Content-Length: +5\r\n"), F::kBadContentLength},
    {"a minus", post("Content-Length: -5\r\n"), F::kBadContentLength},
    {"hexadecimal", post("Content-Length: 0x5\r\n"), F::kBadContentLength},
    {"a fraction", post("Content-Length: 5.0\r\n"), F::kBadContentLength},
    {"a list", post("Content-Length: 5, 5\r\n"), F::kBadContentLength},
    {"a list of two", post("Content-Length: 5,6\r\n"), F::kBadContentLength},
    {"a space inside", post("Content-Length: 1 0\r\n"), F::kBadContentLength},
    {"an underscore", post("Content-Length: 1_0\r\n"), F::kBadContentLength},
    {"more than 64 bits", post("Content-Length: 18446744073709551617\r\n"), F::kBadContentLength},
    {"19 digits", post("Content-Length: 0000000000000000005\r\n"), F::kBadContentLength},
    {"twice the same", post("Content-Length: 5\r\nContent-Length: 5\r\n"),
     F::kDuplicateContentLength},
    {"twice, different", post("Content-Length: 5\r\nContent-Length: 6\r\n"),
     F::kDuplicateContentLength},
    {"twice in other case", post("Content-Length: 5\r\ncontent-length: 0\r\n"),
     F::kDuplicateContentLength},
    // Transfer coding.
    {"both", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), F::kLengthAndChunked},
    {"both, the other way", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
     F::kLengthAndChunked},
    {"both with length zero", post("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"),
     F::kLengthAndChunked},
    {"gzip then chunked", post("Transfer-Encoding: gzip, chunked\r\n"),
     F::kTransferEncodingUnsupported},
    {"chunked then gzip", post("Transfer-Encoding: chunked, gzip\r\n"), F::kBadTransferEncoding},
    {"chunked twice", post("Transfer-Encoding: chunked, chunked\r\n"), F::kBadTransferEncoding},
    {"two lines of chunked", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
     F::kBadTransferEncoding},
    {"chunked and identity lines",
     post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
     F::kBadTransferEncoding},
    {"identity", post("Transfer-Encoding: identity\r\n"), F::kBadTransferEncoding},
    {"xchunked", post("Transfer-Encoding: xchunked\r\n"), F::kBadTransferEncoding},
    {"chunkedx", post("Transfer-Encoding: chunkedx\r\n"), F::kBadTransferEncoding},
    {"quoted", post("Transfer-Encoding: \"chunked\"\r\n"), F::kBadTransferEncoding},
    {"with a parameter", post("Transfer-Encoding: chunked;q=1\r\n"), F::kBadTransferEncoding},
    {"empty", post("Transfer-Encoding:\r\n"), F::kBadTransferEncoding},
    {"a leading comma", post("Transfer-Encoding: ,chunked\r\n"), F::kBadTransferEncoding},
    {"a trailing comma", post("Transfer-Encoding: chunked,\r\n"), F::kBadTransferEncoding},
    {"in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
     F::kTransferEncodingInHttp10},
    {"another expectation", post("Expect: 200-ok\r\n"), F::kBadExpect},
};

TEST(RequestHead, RejectsEachFaultWithItsReason) {
  for (const Rejected& row : kRejectedRequests) {
    EXPECT_EQ(outcome<RequestHead>(row.text), reason(row.fault)) << row.what;
  }
}

TEST(RequestHead, AcceptsValidRequests) {
  const std::vector<std::pair<const char*, std::string>> accepted = {
      {"the smallest", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n"},
      {"one empty line first", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"},
      {"a Host with port", "GET / HTTP/1.1\r\nHost: a.example:8080\r\n\r\n"},
      {"an IPv6 Host", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"},
      {"an absolute target", "GET http://a.example:80/x?y HTTP/1.1\r\nHost: a.example\r\n\r\n"},
      {"HTTP/1.2, a later 1.1", "GET / HTTP/1.2\r\nHost: a\r\n\r\n"},
      {"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"an unknown method", "BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"unwise bytes in a query", "GET /?a={\"b\"|c} HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"an empty value", get("X:\r\n")},
      {"no white space", get("X:a\r\n")},
      {"white space around", get("X: \t a \t\r\n")},
      {"bytes above 127 in a value", get("X: caf\xc3\xa9\r\n")},
      {"a strange but valid name", get("!#$%&'*+-.^_`|~: a\r\n")},
      {"chunked in any case", post("Transfer-Encoding: CHUNKED\r\n")},
      {"length zero", post("Content-Length: 0\r\n")},
      {"100-continue", post("Expect: 100-Continue\r\nContent-Length: 1\r\n")},
  };
  for (const auto& [what, text] : accepted) EXPECT_EQ(outcome<RequestHead>(text), "") << what;
}

TEST(RequestHead, AWholeHeadIsSplitIntoItsParts) {
  HeadParser parser;
  const auto head = std::make_unique<RequestHead>();
  const std::string text =
      "POST http://b.example:81/p?q HTTP/1.1\r\nHost: a.example\r\nX-One:  1 \r\n"
      "Connection: keep-alive, Upgrade, x-one\r\nUpgrade: websocket\r\nContent-Length: "
      "5\r\n\r\nhello";
  ASSERT_TRUE(parser.read(text, *head).is_complete());
  EXPECT_EQ(head->method, "POST");
  EXPECT_EQ(head->path, "/p");
  EXPECT_EQ(head->query, "?q");
  EXPECT_EQ(head->host, "b.example:81") << "the target's host counts, RFC 9112 3.2.2";
  EXPECT_EQ(head->fields.size(), 5U);
  EXPECT_EQ(head->fields.find("x-one"), "1");
  EXPECT_EQ(head->fields.line(1), "X-One:  1 \r\n");
  EXPECT_EQ(head->framing.content_length, 5U);
  EXPECT_TRUE(head->connection.upgrade && head->connection.names_other_fields);
  EXPECT_TRUE(head->requests_upgrade());
  EXPECT_FALSE(head->is_idempotent());
  EXPECT_EQ(head->size, text.size() - 5);
}

TEST(RequestHead, TargetsAreSplitIntoTheirParts) {
  struct Row {
    std::string method, target, host, path, query;
  };
  const std::vector<Row> table = {
      {"GET", "/", "a", "/", ""},
      {"GET", "/x/y?q=1?2", "a", "/x/y", "?q=1?2"},
      {"GET", "/?", "a", "/", "?"},
      {"GET", "//b/c", "a", "//b/c", ""},
      {"GET", "http://b", "b", "/", ""},
      {"GET", "http://b?q", "b", "/", "?q"},
      {"GET", "http://b/?q", "b", "/", "?q"},
      {"OPTIONS", "*", "a", "*", ""},
      {"OPTIONS", "http://b", "b", "*", ""},
      {"OPTIONS", "http://b?q", "b", "/", "?q"},
      {"OPTIONS", "http://b/", "b", "/", ""},
  };
  for (const Row& row : table) {
    const std::string text = row.method + " " + row.target + " HTTP/1.1\r\nHost: a\r\n\r\n";
    HeadParser parser;
    const auto head = std::make_unique<RequestHead>();
    ASSERT_TRUE(parser.read(text, *head).is_complete()) << row.target;
    EXPECT_EQ(head->host, row.host) << row.target;
    EXPECT_EQ(head->path, row.path) << row.target;
    EXPECT_EQ(head->query, row.query) << row.target;
    EXPECT_EQ(head->is_absolute(), row.target.starts_with("http")) << row.target;
  }
}

TEST(RequestHead, ItsPartsMoveWithItsBytes) {
  std::string lines = "Host: a.example\r\n";
  for (int i = 0; i < 60; ++i) lines += "x-" + std::to_string(i) + ": y\r\n";
  for (const char* target : {"GET /a?b", "GET http://c.example?b", "OPTIONS *"}) {
    std::string before = std::string(target) + " HTTP/1.1\r\n" + lines + "\r\nbody";
    const std::string after = before;
    RequestHead head;
    ASSERT_TRUE(HeadParser().read(before, head).is_complete());
    const std::string path(head.path);
    const std::string host(head.host);
    head.move(before.data(), after.data());
    before.assign(before.size(), '#');
    EXPECT_EQ(std::string(head.method).append(" ").append(head.target), target);
    EXPECT_EQ(head.path, path);
    EXPECT_EQ(head.query, *target == 'G' ? "?b" : "");
    EXPECT_EQ(head.host, host);
    std::string moved;
    for (std::size_t i = 0; i < head.fields.size(); ++i) moved += head.fields.line(i);
    EXPECT_EQ(moved, lines);
  }
}

TEST(RequestHead, TheNextRequestOfAConnectionKeepsNothingOfThePreviousOne) {
  const std::string first =
      "POST http://a.example/x HTTP/1.1\r\nHost: a.example\r\nExpect: 100-continue\r\n"
      "Connection: close, upgrade\r\nUpgrade: websocket\r\nContent-Length: 3\r\n\r\n";
  const std::string next = "GET / HTTP/1.0\r\n\r\n";
  HeadParser parser;
  RequestHead head;
  ASSERT_TRUE(parser.read(first, head).is_complete());
  EXPECT_EQ(head.host, "a.example");
  parser.reset();
  ASSERT_TRUE(parser.read(next, head).is_complete());
  EXPECT_EQ(head.host, "");
  EXPECT_FALSE(head.is_absolute());
  EXPECT_FALSE(head.expects_continue);
  EXPECT_FALSE(head.requests_upgrade());
  EXPECT_FALSE(head.has_body());
  EXPECT_FALSE(head.fields.has(FieldId::kHost));
  EXPECT_EQ(head.fields.size(), 0U);
}

TEST(RequestHead, KeepsAliveByVersionAndField) {
  const std::vector<std::pair<std::string, bool>> cases = {
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nHost: a\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", false}};
  for (const auto& [text, keeps] : cases) {
    HeadParser parser;
    const auto head = std::make_unique<RequestHead>();
    ASSERT_TRUE(parser.read(text, *head).is_complete());
    EXPECT_EQ(head->keeps_alive(), keeps) << text;
  }
}

TEST(HeadLimits, EachHasItsOwnReason) {
  const HeadLimits limits{.fields = 3, .line = 64, .total = 256};
  const std::string line = "X: " + std::string(40, 'x') + "\r\n";
  EXPECT_EQ(outcome<RequestHead>(get("A: 1\r\nB: 2\r\nC: 3\r\n"), limits),
            reason(HeadFault::kTooManyFields));
  EXPECT_EQ(outcome<RequestHead>(get("X: " + std::string(80, 'x') + "\r\n"), limits),
            reason(HeadFault::kLineTooLong));
  EXPECT_EQ(outcome<RequestHead>("GET /" + std::string(80, 'x') + " HTTP/1.1\r\n", limits),
            reason(HeadFault::kTargetTooLong));
  EXPECT_EQ(outcome<RequestHead>("GET /" + std::string(80, 'x'), limits),
            reason(HeadFault::kTargetTooLong))
      << "before its line ends";
  const HeadLimits many{.fields = 100, .line = 64, .total = 256};
  EXPECT_EQ(outcome<RequestHead>(get(line + line + line + line + line + line), many),
            reason(HeadFault::kHeadTooLarge));
}

TEST(HeadLimits, TheNearerLimitIsTheReasonHoweverTheHeadIsSplit) {
  const HeadLimits limits{.fields = 3, .line = 60, .total = 64};
  const std::string long_line = get("X: " + std::string(100, 'x') + "\r\n");
  const std::string long_target = "GET /" + std::string(80, 'x') + " HTTP/1.1\r\n\r\n";
  for (std::size_t cut = 0; cut <= long_line.size(); ++cut) {
    for (const auto& [text, fault] : {std::pair(long_line, HeadFault::kHeadTooLarge),
                                      std::pair(long_target, HeadFault::kTargetTooLong)}) {
      HeadParser parser(limits);
      const auto head = std::make_unique<RequestHead>();
      const std::string_view bytes = text;
      HeadResult result = parser.read(bytes.substr(0, cut), *head);
      if (!result.is_fault()) result = parser.read(bytes, *head);
      ASSERT_TRUE(result.is_fault()) << cut;
      EXPECT_EQ(result.fault(), fault) << cut;
    }
  }
}

struct Cut {
  std::string text;
  std::size_t at;
};

RC_GTEST_PROP(HeadParserProperty, AnySplitGivesTheSameResult, ()) {
  std::vector<std::string> texts = {get("X: y\r\n"), post("Content-Length: 7\r\n"),
                                    "\r\n" + get("")};
  for (const Rejected& row : kRejectedRequests) texts.push_back(row.text);
  const std::string text = *rc::gen::elementOf(texts);
  const std::string whole = outcome<RequestHead>(text);
  HeadParser parser;
  const auto head = std::make_unique<RequestHead>();
  const auto first = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  const HeadResult early = parser.read(std::string_view(text).substr(0, first), *head);
  HeadResult result = early;
  if (!early.is_fault() && !early.is_complete()) result = parser.read(text, *head);
  const std::string in_two = result.is_fault()      ? reason(*result.fault())
                             : result.is_complete() ? ""
                                                    : "more";
  RC_ASSERT(in_two == whole);
}

RC_GTEST_PROP(HeadParserProperty, AMutatedHeadIsRejectedOrReadInFull, ()) {
  const std::string valid =
      *rc::gen::element(get("X: y\r\nConnection: close\r\n"), get("Upgrade: websocket\r\n"),
                        post("Content-Length: 7\r\n"), post("Transfer-Encoding: chunked\r\n"));
  std::string bytes = valid;
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  HeadParser parser;
  const auto head = std::make_unique<RequestHead>();
  const HeadResult result = parser.read(bytes, *head);
  if (!result.is_complete()) {
    RC_ASSERT(bytes != valid);
    return;
  }
  const std::string start =
      std::string(head->method) + " " + std::string(head->target) + " HTTP/1.";
  std::string lines;
  for (std::size_t i = 0; i < head->fields.size(); ++i) lines += head->fields.line(i);
  const std::string whole = bytes.substr(0, head->size);
  RC_ASSERT(whole.starts_with(start));
  RC_ASSERT(whole.ends_with("\r\n" + lines + "\r\n"));
  RC_ASSERT(whole.size() == start.size() + 3 + lines.size() + 2);
}

TEST(ResponseHead, RejectsEachFaultWithItsReason) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<Rejected> table = {
      {"no status", "HTTP/1.1\r\n\r\n", F::kBadStatusLine},
      {"two digits", "HTTP/1.1 20 OK\r\n\r\n", F::kBadStatusLine},
      {"four digits", "HTTP/1.1 2000 OK\r\n\r\n", F::kBadStatusLine},
      {"letters", "HTTP/1.1 2xx OK\r\n\r\n", F::kBadStatusLine},
      {"status 99", "HTTP/1.1 099 OK\r\n\r\n", F::kBadStatusLine},
      {"a control byte in the reason", "HTTP/1.1 200 O\x01K\r\n\r\n", F::kBadStatusLine},
      {"HTTP/2", "HTTP/2.0 200 OK\r\n\r\n", F::kVersionUnsupported},
      {"another protocol", "SSH-2.0-OpenSSH_9\r\n\r\n", F::kBadStatusLine},
      {"an empty line first", "\r\n" + ok + "\r\n", F::kEmptyStartLine},
      {"bare LF", "HTTP/1.1 200 OK\n\n", F::kBareLineFeed},
      {"folding", ok + "X: a\r\n b\r\n\r\n", F::kObsoleteFolding},
      {"a space before the colon", ok + "Content-Length : 1\r\n\r\n", F::kSpaceBeforeColon},
      {"two lengths", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
       F::kDuplicateContentLength},
      {"two lengths in one line", ok + "Content-Length: 1,2\r\n\r\n", F::kDuplicateContentLength},
      {"a list without a length", ok + "Content-Length: ,\r\n\r\n", F::kBadContentLength},
      {"equal lengths and nonsense", ok + "Content-Length: 1, 1x\r\n\r\n", F::kBadContentLength},
      {"nonsense and a coding", ok + "Content-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n",
       F::kBadContentLength},
      {"gzip coding", ok + "Transfer-Encoding: gzip\r\n\r\n", F::kBadTransferEncoding},
  };
  for (const Rejected& row : table) {
    EXPECT_EQ(outcome<ResponseHead>(row.text), reason(row.fault)) << row.what;
  }
  EXPECT_EQ(outcome<ResponseHead>("HTTP/1.1 200\r\n\r\n"), "") << "an empty reason is common";
  EXPECT_EQ(outcome<ResponseHead>("HTTP/1.0 404 Not Found\r\n\r\n"), "");
  EXPECT_EQ(outcome<ResponseHead>("HTTP/1.3 200 OK\r\n\r\n"), "") << "a later 1.1";
  EXPECT_EQ(outcome<ResponseHead>("HTTP/1.1 999 Denied\r\n\r\n"), "") << "apps do say so";
}

TEST(ResponseHead, ReadsFramingAsRfc9112HasAProxyRepairIt) {
  struct Row {
    std::string text;
    std::optional<std::uint64_t> length;
    bool chunked;
    bool was_repeated;
    bool keeps_alive;
  };
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  const std::vector<Row> table = {
      {"1.1 200 OK\r\nContent-Length: 1\r\n" + chunked, std::nullopt, true, false, false},
      {"1.1 200 OK\r\n" + chunked + "Content-Length: 1\r\n", std::nullopt, true, false, false},
      {"1.0 200 OK\r\nConnection: keep-alive\r\n" + chunked, std::nullopt, true, false, false},
      {"1.1 200 OK\r\n" + chunked, std::nullopt, true, false, true},
      {"1.1 200 OK\r\nContent-Length: 7\r\nContent-Length: 7\r\n", 7, false, true, true},
      {"1.1 200 OK\r\nContent-Length: 7, 7 ,07\r\n", 7, false, true, true},
      {"1.1 200 OK\r\nContent-Length: 7\r\n", 7, false, false, true},
  };
  for (const Row& row : table) {
    HeadParser parser;
    const auto head = std::make_unique<ResponseHead>();
    const std::string text = "HTTP/" + row.text + "\r\n";
    ASSERT_TRUE(parser.read(text, *head).is_complete()) << row.text;
    EXPECT_EQ(head->framing.content_length, row.length) << row.text;
    EXPECT_EQ(head->framing.chunked, row.chunked) << row.text;
    EXPECT_EQ(head->framing.length_was_repeated, row.was_repeated) << row.text;
    EXPECT_EQ(head->keeps_alive(), row.keeps_alive) << row.text;
  }
}

TEST(ResponseBody, EndsAsRfc9112Says) {
  struct Row {
    std::string text;
    std::string_view method;
    BodyEnd end;
  };
  const std::string length = "Content-Length: 5\r\n\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n";
  const std::vector<Row> table = {
      {"HTTP/1.1 200 OK\r\n" + length, "GET", BodyEnd::kLength},
      {"HTTP/1.1 200 OK\r\n" + length, "HEAD", BodyEnd::kNone},
      {"HTTP/1.1 200 OK\r\n" + chunked, "GET", BodyEnd::kChunked},
      {"HTTP/1.1 200 OK\r\n" + chunked, "HEAD", BodyEnd::kNone},
      {"HTTP/1.1 204 No Content\r\n" + length, "GET", BodyEnd::kNone},
      {"HTTP/1.1 304 Not Modified\r\n" + length, "GET", BodyEnd::kNone},
      {"HTTP/1.1 100 Continue\r\n\r\n", "GET", BodyEnd::kNone},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "GET", BodyEnd::kNone},
      {"HTTP/1.1 200 OK\r\n\r\n", "GET", BodyEnd::kClose},
      {"HTTP/1.0 200 OK\r\n\r\n", "POST", BodyEnd::kClose},
  };
  for (const Row& row : table) {
    HeadParser parser;
    const auto head = std::make_unique<ResponseHead>();
    ASSERT_TRUE(parser.read(row.text, *head).is_complete());
    EXPECT_EQ(response_body(*head, row.method).end, row.end) << row.method << ' ' << row.text;
  }
}

}  // namespace
}  // namespace bellows::http
