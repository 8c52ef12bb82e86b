#include "proxy/core/header_rules.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/head_parts.hpp"

namespace bellows::proxy {
namespace {

std::string request_out(const std::string& text, HeaderRules rules = {}, bool upgrade = false) {
  http::HeadParser parser;
  const auto head = std::make_unique<http::RequestHead>();
  if (!parser.read(text, *head).is_complete()) return "refused";
  if (rules.client_address.empty()) rules.client_address = "192.0.2.9";
  std::string out;
  write_request_head(*head, rules, upgrade, out);
  std::string again;
  const auto written = std::make_unique<http::RequestHead>();
  write_request_head(*head, rules, upgrade, again, written.get());
  EXPECT_EQ(again, out);
  EXPECT_EQ(test::parts_of(*written), test::parts_in<http::RequestHead>(out))
      << "its parts are those that a reader would find";
  return out;
}

std::string response_out(const std::string& text, const ResponseRules& rules) {
  http::HeadParser parser;
  const auto head = std::make_unique<http::ResponseHead>();
  if (!parser.read(text, *head).is_complete()) return "refused";
  std::string out;
  write_response_head(*head, rules, out);
  std::string again;
  const auto written = std::make_unique<http::ResponseHead>();
  write_response_head(*head, rules, again, written.get());
  EXPECT_EQ(again, out);
  EXPECT_EQ(test::parts_of(*written), test::parts_in<http::ResponseHead>(out))
      << "its parts are those that a reader would find";
  return out;
}

/// The lines of a request between two inner hops: nothing is added, so the table shows what is
/// removed and what is kept.
std::string inner(const std::string& lines, Peer upstream = Peer::kOutside) {
  const std::string first = "GET / HTTP/1.1\r\n";
  const std::string out =
      request_out(first + lines + "\r\n", {.downstream = Peer::kInside, .upstream = upstream});
  return out.starts_with(first) && out.ends_with("\r\n\r\n")
             ? out.substr(first.size(), out.size() - first.size() - 2)
             : "not a head: " + out;
}

TEST(RequestHeaderRules, RemoveAndKeepFields) {
  struct Row {
    const char* what;
    std::string in;
    std::string out;
  };
  const std::string host = "Host: a\r\n";
  const std::vector<Row> table = {
      {"case and spacing are kept", "hOsT:  a \r\nx-ODD:\t1\r\n", "hOsT:  a \r\nx-ODD:\t1\r\n"},
      {"Connection and Keep-Alive end here", host + "Connection: keep-alive\r\nKeep-Alive: 5\r\n",
       host},
      {"what Connection names ends here",
       host + "Connection: X-Hop, close\r\nX-Hop: 1\r\nX-B: 2\r\n", host + "X-B: 2\r\n"},
      {"in any case", host + "connection: x-hop\r\nX-HOP: 1\r\n", host},
      {"in any order", host + "X-Hop: 1\r\nConnection: x-hop\r\n", host},
      {"a name that differs by more than case stays", host + "Connection: X~Y\r\nX^Y: 1\r\n",
       host + "X^Y: 1\r\n"},
      {"Connection cannot take Host away", host + "Connection: host\r\n", host},
      {"nor the length", host + "Content-Length: 5\r\nConnection: content-length\r\n",
       host + "Content-Length: 5\r\n"},
      {"nor the transfer coding",
       host + "Transfer-Encoding: chunked\r\nConnection: transfer-encoding\r\n",
       host + "Transfer-Encoding: chunked\r\n"},
      {"nor who the caller is",
       host + "X-Forwarded-For: 1.2.3.4\r\nConnection: x-forwarded-for\r\n",
       host + "X-Forwarded-For: 1.2.3.4\r\n"},
      {"Proxy-Connection ends here, RFC 9110 7.6.1", host + "Proxy-Connection: keep-alive\r\n",
       host},
      {"other fields of proxies pass, RFC 9110 11.7.2",
       host + "Proxy-Authorization: x\r\nProxy-Foo: y\r\n",
       host + "Proxy-Authorization: x\r\nProxy-Foo: y\r\n"},
      {"Upgrade that is not passed ends here", host + "Connection: upgrade\r\nUpgrade: h2c\r\n",
       host},
      {"TE other than trailers ends here", host + "TE: gzip\r\nConnection: TE\r\n", host},
      {"TE: trailers is asked for anew", host + "TE: gzip, trailers\r\nConnection: TE\r\n",
       host + "TE: trailers\r\nConnection: TE\r\n"},
      {"TE: trailers in a second line", host + "TE: gzip\r\nConnection: TE\r\nTE: trailers\r\n",
       host + "TE: trailers\r\nConnection: TE\r\n"},
      {"the announcement of trailers passes", host + "Trailer: X-Sum\r\n",
       host + "Trailer: X-Sum\r\n"},
      {"internal fields end before the app",
       host + "K-Network-Hash: 1\r\nX-Bellows-Hop: 1\r\nk-kubelet-probe: queue\r\n", host},
      {"what only looks internal passes, RFC 9110 5.1",
       host + "K-Foo: 1\r\nK: 1\r\nX-Bellow: 2\r\nKnative-Serving-Tag: blue\r\n",
       host + "K-Foo: 1\r\nK: 1\r\nX-Bellow: 2\r\nKnative-Serving-Tag: blue\r\n"},
      {"traceparent passes", host + "traceparent: 00-1-2-01\r\n",
       host + "traceparent: 00-1-2-01\r\n"},
      {"Expect passes", host + "Expect: 100-continue\r\n", host + "Expect: 100-continue\r\n"},
      {"authorization and cookies pass", host + "Authorization: x\r\nCookie: a=b\r\n",
       host + "Authorization: x\r\nCookie: a=b\r\n"},
      {"repeated lines keep their order", host + "A: 1\r\nB: 2\r\nA: 3\r\n",
       host + "A: 1\r\nB: 2\r\nA: 3\r\n"},
  };
  for (const Row& row : table) {
    EXPECT_EQ(inner(row.in), row.out) << row.what;
  }
}

TEST(RequestHeaderRules, KeepInternalFieldsOnlyBetweenInnerHops) {
  const std::string in = "Host: a\r\nX-Bellows-Hop: activator\r\n";
  EXPECT_EQ(inner(in, Peer::kInside), in);
  const std::string from_outside =
      request_out("GET / HTTP/1.1\r\n" + in + "\r\n", {.upstream = Peer::kInside});
  EXPECT_EQ(from_outside.find("X-Bellows-Hop"), std::string::npos);
}

TEST(RequestHeaderRules, StartLineHostAndUpgrade) {
  EXPECT_TRUE(request_out("GET http://b.example/x HTTP/1.1\r\nHost: a\r\n\r\n")
                  .starts_with("GET /x HTTP/1.1\r\nHost: b.example\r\n"));
  EXPECT_TRUE(
      request_out("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("OPTIONS * HTTP/1.1"));
  EXPECT_TRUE(request_out("OPTIONS http://b.example HTTP/1.1\r\nHost: a\r\n\r\n")
                  .starts_with("OPTIONS * HTTP/1.1\r\nHost: b.example\r\n"));
  EXPECT_EQ(request_out("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n"
                        "Expect: 100-continue\r\n\r\n",
                        {.downstream = Peer::kInside}),
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      << "our own version, and nothing that the caller's does not know";
  const std::string old = request_out("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(old.starts_with("GET / HTTP/1.0\r\n"));
  EXPECT_NE(old.find("\r\nConnection: keep-alive\r\n"), std::string::npos);
  const std::string upgrade =
      request_out("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
                  {.downstream = Peer::kInside}, true);
  EXPECT_EQ(upgrade,
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n");
  EXPECT_NE(request_out("GET / HTTP/1.1\r\nHost: a\r\n\r\n", {.extra_lines = "X-Mine: 1\r\n"})
                .find("\r\nX-Mine: 1\r\n\r\n"),
            std::string::npos);
}

/// Case 105: the caller's address, once, by the first hop.
TEST(RequestHeaderRules, TheFirstHopAddsTheCallersAddress) {
  struct Row {
    const char* what;
    std::string lines;
    std::string client;
    std::string out;
  };
  const std::string tail = "X-Forwarded-Proto: http\r\nX-Forwarded-Host: a\r\n\r\n";
  const std::vector<Row> table = {
      {"nothing came", "", "192.0.2.9",
       "Forwarded: for=192.0.2.9;host=a;proto=http\r\nX-Forwarded-For: 192.0.2.9\r\n" + tail},
      {"an IPv6 caller", "", "2001:db8::1",
       "Forwarded: for=\"[2001:db8::1]\";host=a;proto=http\r\nX-Forwarded-For: 2001:db8::1\r\n" +
           tail},
      {"a chain came", "X-Forwarded-For: 10.0.0.1, 2001:db8::2\r\n", "192.0.2.9",
       "Forwarded: for=10.0.0.1;host=a;proto=http, for=\"[2001:db8::2]\", for=192.0.2.9\r\n"
       "X-Forwarded-For: 10.0.0.1, 2001:db8::2, 192.0.2.9\r\n" +
           tail},
      {"the chain in two lines", "X-Forwarded-For: 10.0.0.1\r\nx-forwarded-for: 10.0.0.2\r\n",
       "192.0.2.9",
       "Forwarded: for=10.0.0.1;host=a;proto=http, for=10.0.0.2, for=192.0.2.9\r\n"
       "X-Forwarded-For: 10.0.0.1, 10.0.0.2, 192.0.2.9\r\n" +
           tail},
      {"proto and host came", "X-Forwarded-Proto: https\r\nX-Forwarded-Host: b:8443\r\n",
       "192.0.2.9",
       "Forwarded: for=192.0.2.9;host=\"b:8443\";proto=https\r\nX-Forwarded-For: 192.0.2.9\r\n"
       "X-Forwarded-Proto: https\r\nX-Forwarded-Host: b:8443\r\n\r\n"},
      {"Forwarded came", "Forwarded: for=10.0.0.1;proto=https\r\n", "192.0.2.9",
       "Forwarded: for=10.0.0.1;proto=https, for=192.0.2.9\r\nX-Forwarded-For: 192.0.2.9\r\n" +
           tail},
      {"a quote that never ends would swallow the client", "Forwarded: for=\"evil\r\n", "192.0.2.9",
       "Forwarded: for=192.0.2.9;host=a;proto=http\r\nX-Forwarded-For: 192.0.2.9\r\n" + tail},
      {"empty lines tell nothing",
       "Forwarded:\r\nX-Forwarded-For:\r\nX-Forwarded-Proto:\r\nX-Forwarded-Host:\r\n", "192.0.2.9",
       "Forwarded: for=192.0.2.9;host=a;proto=http\r\nX-Forwarded-For: 192.0.2.9\r\n" + tail},
      {"of several the first hop's counts", "X-Forwarded-Proto: https, http\r\n", "192.0.2.9",
       "Forwarded: for=192.0.2.9;host=a;proto=https\r\nX-Forwarded-For: 192.0.2.9\r\n"
       "X-Forwarded-Proto: https, http\r\nX-Forwarded-Host: a\r\n\r\n"},
      {"an address with port", "X-Forwarded-For: 10.0.0.1:99\r\n", "192.0.2.9",
       "Forwarded: for=\"10.0.0.1:99\";host=a;proto=http, for=192.0.2.9\r\n"
       "X-Forwarded-For: 10.0.0.1:99, 192.0.2.9\r\n" +
           tail},
      {"quotes are not passed into Forwarded", "X-Forwarded-For: \"x\";for=y\r\n", "192.0.2.9",
       "Forwarded: for=unknown;host=a;proto=http, for=192.0.2.9\r\n"
       "X-Forwarded-For: \"x\";for=y, 192.0.2.9\r\n" +
           tail},
  };
  const std::string first = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (const Row& row : table) {
    EXPECT_EQ(request_out(first + row.lines + "\r\n", {.client_address = row.client}),
              first + row.out)
        << row.what;
  }
}

TEST(RequestHeaderRules, AHostThatIsNoTokenIsQuoted) {
  const auto out = [](const std::string& host) {
    return request_out("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  };
  for (const std::string host : {"a:8443", "[2001:db8::1]:80", "a;b"}) {
    EXPECT_EQ(out(host), "GET / HTTP/1.1\r\nHost: " + host +
                             "\r\nForwarded: for=192.0.2.9;host=\"" + host +
                             "\";proto=http\r\nX-Forwarded-For: 192.0.2.9\r\n"
                             "X-Forwarded-Proto: http\r\nX-Forwarded-Host: " +
                             host + "\r\n\r\n");
  }
  const std::string longest(300, 'h');
  EXPECT_NE(out(longest).find(";host=unknown;"), std::string::npos);
}

TEST(RequestHeaderRules, FieldsAboutEarlierHopsAreReplacedUnlessTrusted) {
  const std::string words =
      "Forwarded: for=10.0.0.1\r\nX-Forwarded-For: 10.0.0.1\r\nX-Forwarded-Proto: https\r\n"
      "X-Forwarded-Host: evil\r\nX-Forwarded-Port: 443\r\nx_forwarded_for: 10.0.0.1\r\n"
      "X-Forwarded_Proto: https\r\n";
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n" + words + "X-Forwards: 1\r\n\r\n";
  EXPECT_EQ(request_out(request, {.trusts_client = false}),
            "GET / HTTP/1.1\r\nHost: a\r\nX-Forwards: 1\r\n"
            "Forwarded: for=192.0.2.9;host=a;proto=http\r\nX-Forwarded-For: 192.0.2.9\r\n"
            "X-Forwarded-Proto: http\r\nX-Forwarded-Host: a\r\n\r\n");
  EXPECT_EQ(request_out(request, {.trusts_client = true}),
            "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Port: 443\r\nX-Forwards: 1\r\n"
            "Forwarded: for=10.0.0.1, for=192.0.2.9\r\nX-Forwarded-For: 10.0.0.1, 192.0.2.9\r\n"
            "X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\n\r\n")
      << "twins with underscores could contradict what is written here";
}

TEST(RequestHeaderRules, AConnectionByTlsIsHttps) {
  const std::string first = "GET / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(request_out(first + "\r\n", {.scheme = "https"}),
            first +
                "Forwarded: for=192.0.2.9;host=a;proto=https\r\nX-Forwarded-For: 192.0.2.9\r\n"
                "X-Forwarded-Proto: https\r\nX-Forwarded-Host: a\r\n\r\n");
  EXPECT_EQ(request_out(first + "X-Forwarded-For: 10.0.0.1\r\n\r\n", {.scheme = "https"}),
            first +
                "Forwarded: for=10.0.0.1;host=a;proto=https, for=192.0.2.9\r\n"
                "X-Forwarded-For: 10.0.0.1, 192.0.2.9\r\n"
                "X-Forwarded-Proto: https\r\nX-Forwarded-Host: a\r\n\r\n");
}

TEST(RequestHeaderRules, OnlyAHandshakeSaysWhoseCertificateACallerHas) {
  const std::string first = "GET / HTTP/1.1\r\nHost: a\r\n";
  const std::string evil = first + "X-Forwarded-Client-Cert: evil\r\n\r\n";
  for (const bool is_trusted : {false, true}) {
    EXPECT_EQ(request_out(evil, {.trusts_client = is_trusted}).find("evil"), std::string::npos);
    const std::string out = request_out(
        evil, {.trusts_client = is_trusted, .scheme = "https", .client_certificate = "Hash=1"});
    EXPECT_EQ(out.find("evil"), std::string::npos);
    EXPECT_TRUE(out.ends_with("X-Forwarded-Client-Cert: Hash=1\r\n\r\n")) << out;
  }
  EXPECT_EQ(inner("Host: a\r\nX-Forwarded-Client-Cert: Hash=1\r\n"),
            "Host: a\r\nX-Forwarded-Client-Cert: Hash=1\r\n")
      << "the first hop has said it";
}

/// Each rewritten hop takes seven bytes more than in X-Forwarded-For, so thousands of them make a
/// head that the next hop would reject.
TEST(RequestHeadOut, OfALongChainHasTheNearestHopsInForwarded) {
  std::string chain;
  for (int hop = 1; hop <= 4000; ++hop) chain += "1,";
  const std::string out =
      request_out("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: " + chain + "2\r\n\r\n",
                  {.client_address = "192.0.2.9"});
  const std::size_t begin = out.find("Forwarded: for=1;host=a;proto=http, for=1, ");
  ASSERT_NE(begin, std::string::npos);
  const std::string forwarded = out.substr(begin, out.find("\r\n", begin) - begin);
  EXPECT_LT(forwarded.size(), 400U);
  EXPECT_TRUE(forwarded.ends_with(", for=1, for=2, for=192.0.2.9"));
}

struct ResponseRow {
  const char* what;
  std::string in;
  ResponseRules rules;
  std::string out;
};

TEST(ResponseHeaderRules, RemoveAndKeepFields) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::string length = "Content-Length: 5\r\n";
  const std::vector<ResponseRow> table = {
      {"plain", ok + length + "\r\n", {}, ok + length + "\r\n"},
      {"an old version is spoken anew",
       "HTTP/1.0 200 Fine\r\n" + length + "\r\n",
       {},
       "HTTP/1.1 200 Fine\r\n" + length + "\r\n"},
      {"the last on its connection",
       ok + length + "\r\n",
       {.keep_alive = false},
       ok + length + "Connection: close\r\n\r\n"},
      {"an old caller is told to stay",
       ok + length + "\r\n",
       {.downstream_minor_version = 0},
       ok + length + "Connection: keep-alive\r\n\r\n"},
      {"hop-by-hop ends here",
       ok + "Connection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\nX: 1\r\n\r\n",
       {},
       ok + "X: 1\r\n\r\n"},
      {"an upgrade",
       "HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
       {.is_upgrade = true},
       "HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"},
      {"426 says what to upgrade to",
       "HTTP/1.1 426 U\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
       {},
       "HTTP/1.1 426 U\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"},
      {"426 and the end of the connection",
       "HTTP/1.1 426 U\r\nUpgrade: x\r\n\r\n",
       {.keep_alive = false},
       "HTTP/1.1 426 U\r\nUpgrade: x\r\nConnection: upgrade, close\r\n\r\n"},
      {"204 has no length", "HTTP/1.1 204 No\r\n" + length + "\r\n", {}, "HTTP/1.1 204 No\r\n\r\n"},
      {"103 has no coding",
       "HTTP/1.1 103 E\r\nTransfer-Encoding: chunked\r\nLink: x\r\n\r\n",
       {},
       "HTTP/1.1 103 E\r\nLink: x\r\n\r\n"},
      {"304 keeps its length",
       "HTTP/1.1 304 N\r\n" + length + "\r\n",
       {},
       "HTTP/1.1 304 N\r\n" + length + "\r\n"},
      {"our own lines",
       ok + length + "\r\n",
       {.extra_lines = "X-Bellows-Queue-Ms: 1\r\n"},
       ok + length + "X-Bellows-Queue-Ms: 1\r\n\r\n"},
  };
  for (const ResponseRow& row : table) {
    EXPECT_EQ(response_out(row.in, row.rules), row.out) << row.what;
  }
}

TEST(ResponseHeaderRules, RepairFields) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::string length = "Content-Length: 5\r\n";
  const std::vector<ResponseRow> table = {
      {"of chunks and a length the chunks count",
       ok + length + "Transfer-Encoding: chunked\r\n\r\n",
       {},
       ok + "Transfer-Encoding: chunked\r\n\r\n"},
      {"equal lengths are one",
       ok + length + "X: 1\r\n" + length + "\r\n",
       {},
       ok + "X: 1\r\n" + length + "\r\n"},
      {"equal lengths of a 204 are none",
       "HTTP/1.1 204 No\r\nContent-Length: 0, 0\r\n\r\n",
       {},
       "HTTP/1.1 204 No\r\n\r\n"},
      {"an old caller hears of no chunks",
       ok + "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n",
       {.downstream_minor_version = 0, .keep_alive = false},
       ok + "Connection: close\r\n\r\n"},
      {"a date for what has none",
       ok + length + "\r\n",
       {.date_line = "Date: now\r\n"},
       ok + length + "Date: now\r\n\r\n"},
      {"a date that came passes",
       ok + "dAte: then\r\n\r\n",
       {.date_line = "Date: now\r\n"},
       ok + "dAte: then\r\n\r\n"},
      {"no date before the answer",
       "HTTP/1.1 103 E\r\n\r\n",
       {.date_line = "Date: now\r\n"},
       "HTTP/1.1 103 E\r\n\r\n"},
  };
  for (const ResponseRow& row : table) {
    EXPECT_EQ(response_out(row.in, row.rules), row.out) << row.what;
  }
}

TEST(ResponseHeaderRules, InternalFieldsAreTrustedAndKeptInsideOnly) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<ResponseRow> table = {
      {"an app cannot speak for Bellows",
       ok + "X-Bellows-Reason: x\r\nK-Network-Hash: 1\r\n\r\n",
       {},
       ok + "\r\n"},
      {"other fields of an app pass, RFC 9110 5.1",
       ok + "K-A: 1\r\nProxy-Authenticate: Basic\r\nKnative-Serving-Tag: x\r\n\r\n",
       {},
       ok + "K-A: 1\r\nProxy-Authenticate: Basic\r\nKnative-Serving-Tag: x\r\n\r\n"},
      {"an inner hop's error goes out, its other words do not",
       ok + "X-Bellows-Reason: x\r\nX-Bellows-Queue-Ms: 3\r\nX-Bellows-In-Flight: 4\r\n\r\n",
       {.upstream = Peer::kInside},
       ok + "X-Bellows-Reason: x\r\n\r\n"},
      {"all of them between inner hops",
       ok + "X-Bellows-In-Flight: 4\r\n\r\n",
       {.downstream = Peer::kInside, .upstream = Peer::kInside},
       ok + "X-Bellows-In-Flight: 4\r\n\r\n"},
  };
  for (const ResponseRow& row : table) {
    EXPECT_EQ(response_out(row.in, row.rules), row.out) << row.what;
  }
}

}  // namespace
}  // namespace bellows::proxy
