// A server that says what RFC 9113 forbids: its response never becomes one, and a caller sees a
// reset. What a server refuses in order may be tried again.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

const std::string kRequest = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
const FieldPairs kOkFields = {{":status", "200"}};

std::string data(std::string_view bytes, bool ends = true) {
  return frame(test::kData, ends ? 1 : 0, 1, bytes);
}

std::string ok(const FieldPairs& more, bool ends = true) {
  return headers(1, plus(kOkFields, more), ends);
}

struct ServerCase {
  const char* section;
  const char* what;
  std::string bytes;  ///< after SETTINGS
  std::string text;   ///< what the caller reads; empty: a reset
};

std::ostream& operator<<(std::ostream& out, const ServerCase& test) {
  return out << "RFC " << test.section << ": " << test.what;
}

const std::string kChunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

const std::vector<ServerCase> kCases = {
    {"9113 8.3.2", "an ordinary response", ok({}, false) + data("ab"),
     kChunked + "2\r\nab\r\n0\r\n\r\n"},
    {"9113 8.1", "trailers alone", ok({{"grpc-status", "5"}}),
     "HTTP/1.1 200 OK\r\ngrpc-status: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"},
    {"9113 8.1", "trailers", ok({}, false) + data("ab", false) + headers(1, {{"grpc-status", "0"}}),
     kChunked + "2\r\nab\r\n0\r\ngrpc-status: 0\r\n\r\n"},
    {"9113 8.1", "interim responses", headers(1, {{":status", "103"}, {"a", "b"}}, false) + ok({}),
     "HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n" + kChunked + "0\r\n\r\n"},
    {"9113 8.3.2", "no :status", headers(1, {{"a", "b"}}), ""},
    {"9113 8.3.2", "no field at all", headers(1, {}), ""},
    {"9113 8.3.2", "a :status of two digits", headers(1, {{":status", "20"}}), ""},
    {"9113 8.3.2", "a :status of four digits", headers(1, {{":status", "2000"}}), ""},
    {"9113 8.3.2", "a :status with a reason", headers(1, {{":status", "200 OK"}}), ""},
    {"9113 8.3.2", "a :status with CRLF", headers(1, {{":status", "200\r\nx: y"}}), ""},
    {"9113 8.3.2", "a :status of letters", headers(1, {{":status", "abc"}}), ""},
    {"9113 8.3", ":status twice", ok({{":status", "200"}}), ""},
    {"9113 8.3", ":status behind a field", headers(1, {{"a", "b"}, {":status", "200"}}), ""},
    {"9113 8.3", ":path in a response", ok({{":path", "/"}}), ""},
    {"9113 8.3", "an unknown pseudo-header", ok({{":foo", "x"}}), ""},
    {"9113 8.6", ":status 101", headers(1, {{":status", "101"}}, false), ""},
    {"9113 8.1", "an interim response that ends", headers(1, {{":status", "103"}}), ""},
    {"9113 8.1", "DATA before HEADERS", data("ab"), ""},
    {"9113 8.1", "DATA after an interim response alone",
     headers(1, {{":status", "100"}}, false) + data("ab"), ""},
    {"9113 8.2.1", "an upper-case name", ok({{"Server", "x"}}), ""},
    {"9113 8.2.1", "a blank in a name", ok({{"a b", "x"}}), ""},
    {"9113 8.2.1", "CRLF in a name", ok({{"a\r\nb", "x"}}), ""},
    {"9113 8.2.1", "a response split by CRLF in a value",
     ok({{"a", "x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"}}), ""},
    {"9113 8.2.1", "a cookie added by LF", ok({{"a", "x\nset-cookie: y"}}), ""},
    {"9113 8.2.1", "CR in a value", ok({{"a", "x\ry"}}), ""},
    {"9113 8.2.1", "NUL in a value", ok({{"a", std::string("x\0y", 3)}}), ""},
    {"9113 8.2.1", "a blank before a value", ok({{"a", " x"}}), ""},
    {"9113 8.2.1", "a blank behind a value", ok({{"a", "x "}}), ""},
    {"9113 8.2.2", "connection", ok({{"connection", "keep-alive"}}), ""},
    {"9113 8.2.2", "transfer-encoding", ok({{"transfer-encoding", "chunked"}}, false) + data("0"),
     ""},
    {"9113 8.2.2", "keep-alive", ok({{"keep-alive", "x"}}), ""},
    {"9113 8.2.2", "upgrade", ok({{"upgrade", "h2c"}}), ""},
    {"9113 8.2.2", "proxy-connection", ok({{"proxy-connection", "x"}}), ""},
    {"9113 8.1.1", "a length that is right", ok({{"content-length", "2"}}, false) + data("ab"),
     "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nab"},
    {"9113 8.1.1", "a length and no data", ok({{"content-length", "2"}}), ""},
    {"9110 8.6", "a length of letters", ok({{"content-length", "x"}}, false) + data("ab"), ""},
    {"9110 8.6", "a negative length", ok({{"content-length", "-2"}}, false) + data("ab"), ""},
    {"9110 8.6", "the length twice",
     ok({{"content-length", "2"}, {"content-length", "3"}}, false) + data("ab"), ""},
    {"9110 15.3.5", "204", headers(1, {{":status", "204"}}), "HTTP/1.1 204 No Content\r\n\r\n"},
    {"9113 10.5.1", "trailers beyond their limit",
     ok({{"a", std::string(9'000, 'x')}, {"b", std::string(7'000, 'x')}}, false) +
         data("x", false) + headers(1, {{"a", std::string(12'000, 'x')}}),
     ""},
    {"9113 5.1", "RST_STREAM of an idle stream", frame(test::kRstStream, 0, 9, number(8, 4)), ""},
    {"9113 6.4", "RST_STREAM", frame(test::kRstStream, 0, 1, number(2, 4)), ""},
    {"9113 6.6", "PUSH_PROMISE although it is off",
     frame(test::kSettings, test::kAck, 0) +
         frame(test::kPushPromise, 4, 1, number(2, 4) + block({{":method", "GET"}})),
     ""},
    {"9113 6.5.2", "ENABLE_PUSH of a server",
     frame(test::kSettings, 0, 0, number(2, 2) + number(1, 4)), ""},
    {"9113 6.8", "GOAWAY with an error",
     frame(test::kGoaway, 0, 0, number(1, 4) + number(1, 4)) +
         frame(test::kRstStream, 0, 1, number(1, 4)),
     ""},
    {"9113 4.3", "an index that is not in the table", frame(test::kHeaders, 5, 1, "\xff\x7f"), ""},
    {"9113 6.10", "CONTINUATION without HEADERS",
     frame(test::kContinuation, 4, 1, block(kOkFields)), ""},
    {"9113 5.1.1", "a stream of the server", headers(2, kOkFields), ""},
    {"9113 6.7", "PING of a wrong size", frame(test::kPing, 0, 0, "x"), ""},
    {"9113 4.2", "a frame beyond 2^14", data(std::string(16'385, 'x')), ""},
};

class HostileServer : public testing::TestWithParam<ServerCase> {
 protected:
  H2World world_;
};

TEST_P(HostileServer, EndsAsItsSectionSays) {
  const ServerCase& test = GetParam();
  world_.start_raw_client();
  world_.settle();
  ConnectionPtr caller = world_.client->open_stream();
  EXPECT_EQ(caller->try_write(kRequest).bytes, kRequest.size());
  world_.settle();
  world_.say(frame(test::kSettings, 0, 0) + test.bytes);
  const std::string text = read_now(*caller);
  if (!test.text.empty()) {
    EXPECT_TRUE(text.starts_with(test.text)) << test << text;
    return;
  }
  EXPECT_EQ(text, "") << test;
  EXPECT_TRUE(caller->was_reset()) << test;
  EXPECT_FALSE(caller->was_not_processed()) << test << ": it may have run";
  EXPECT_NE(read_kind(*caller), Kind::kWouldBlock) << test;
}

INSTANTIATE_TEST_SUITE_P(All, HostileServer, testing::ValuesIn(kCases));

/// A client that has sent one request, and the test as its server.
class Refusals : public testing::Test {
 protected:
  void begin(const std::string& request = kRequest) {
    world_.start_raw_client();
    world_.say(frame(test::kSettings, 0, 0));
    caller_ = world_.client->open_stream();
    caller_->try_write(request);
    world_.settle();
  }
  H2World world_;
  ConnectionPtr caller_;
};

TEST_F(Refusals, ARefusedStreamLooksLikeAClosedConnectionAndMayBeRepeated) {
  begin("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc");
  world_.say(frame(test::kRstStream, 0, 1, number(7, 4)));
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
  EXPECT_TRUE(caller_->was_not_processed());
  EXPECT_TRUE(world_.client->may_open());
}

TEST_F(Refusals, AStreamAboveTheLastOneOfGoawayMayBeRepeated) {
  begin();
  world_.say(frame(test::kGoaway, 0, 0, number(0, 4) + number(0, 4)));
  EXPECT_TRUE(caller_->was_not_processed());
  EXPECT_FALSE(world_.client->may_open());
}

TEST_F(Refusals, AStreamBelowTheLastOneOfGoawayIsAnswered) {
  begin();
  world_.say(frame(test::kGoaway, 0, 0, number(1, 4) + number(0, 4)) + ok({}));
  EXPECT_EQ(read_now(*caller_), kChunked + "0\r\n\r\n");
  caller_.reset();
  world_.settle();
  world_.pass(std::chrono::seconds(2));
  EXPECT_TRUE(world_.client->has_ended());
  EXPECT_EQ(world_.client->end_reason(), "GOAWAY with NO_ERROR");
}

TEST_F(Refusals, AConnectionThatIsLostMayHaveProcessedARequest) {
  begin();
  world_.raw->abort();
  world_.settle();
  EXPECT_TRUE(caller_->was_reset());
  EXPECT_FALSE(caller_->was_not_processed());
  EXPECT_TRUE(world_.client->has_ended());
}

TEST_F(Refusals, AResponseIsWholeAlthoughTheRequestIsResetAfterIt) {
  begin("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n");
  world_.say(ok({{"content-length", "2"}}, false) + data("ok") +
             frame(test::kRstStream, 0, 1, number(0, 4)));
  EXPECT_EQ(read_now(*caller_), "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
  EXPECT_FALSE(caller_->was_reset());
  EXPECT_EQ(caller_->try_write("abc").kind, Kind::kFailed);
}

TEST_F(Refusals, AHandshakeNeedsAPeerThatTakesIt) {
  begin(
      "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
      "Sec-WebSocket-Key: k\r\n\r\n");
  EXPECT_EQ(read_kind(*caller_), Kind::kFailed);
  const http::IoResult more = caller_->try_write("x");
  EXPECT_EQ(more.kind, Kind::kFailed);
  EXPECT_EQ(more.error, EPROTONOSUPPORT);
}

TEST_F(Refusals, ThePeersLimitOfStreamsHolds) {
  world_.start_raw_client();
  world_.say(frame(test::kSettings, 0, 0, number(3, 2) + number(2, 4)));
  EXPECT_TRUE(world_.client->is_ready());
  const ConnectionPtr one = world_.client->open_stream();
  EXPECT_TRUE(world_.client->may_open());
  ConnectionPtr two = world_.client->open_stream();
  EXPECT_FALSE(world_.client->may_open());
  const int changes = world_.changes;
  two.reset();
  world_.settle();
  EXPECT_TRUE(world_.client->may_open());
  EXPECT_GT(world_.changes, changes);
}

TEST_F(Refusals, APeerThatNeverSaysItsSettingsIsLeft) {
  world_.start_raw_client();
  ConnectionPtr caller = world_.client->open_stream();
  caller->try_write(kRequest);
  world_.settle();
  world_.say("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(caller->was_reset());
  EXPECT_FALSE(world_.client->is_ready());
}

}  // namespace
}  // namespace bellows::http2
