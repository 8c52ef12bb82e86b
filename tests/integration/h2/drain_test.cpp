// The end of connections of HTTP/2: what was written before it arrives, what was not begun may be
// sent again.
#include <gtest/gtest.h>

#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

using test::Frame;

constexpr std::uint32_t kAll = 0x7fffffff;  // the last stream of a GOAWAY that takes all
const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class Drain : public testing::Test {
 protected:
  /// The last stream of each GOAWAY that came.
  std::vector<std::uint32_t> goaways() {
    std::vector<std::uint32_t> all;
    for (const Frame& frame : world_.heard()) {
      if (frame.type == test::kGoaway) all.push_back(frame.code());
    }
    return all;
  }
  static std::string ping_ack() { return frame(test::kPing, test::kAck, 0, number(0, 8)); }

  H2World world_;
};

TEST_F(Drain, TakesRequestsUntilTheCallerKnowsOfIt) {
  world_.start_raw_server();
  world_.greet();
  world_.server->drain();
  world_.settle();
  EXPECT_EQ(goaways(), std::vector{kAll});
  world_.say(headers(1, kPostFields));
  EXPECT_EQ(world_.given, 1);
  world_.say(ping_ack());
  EXPECT_EQ(goaways(), (std::vector{kAll, 1U}));
}

TEST_F(Drain, LivesOnWithoutAStreamUntilTheCallerKnowsOfIt) {
  world_.start_raw_server();
  world_.greet();
  world_.server->drain();
  world_.pass(std::chrono::milliseconds(900));
  EXPECT_TRUE(world_.server->has_unsent());
  world_.say(headers(1, kPostFields));
  EXPECT_EQ(world_.given, 1);
}

/// It says that they were not processed, so the caller sends them again: they must not run here.
TEST_F(Drain, DoesNotBeginWhatItsLastGoawayLeavesOut) {
  world_.start_raw_server();
  world_.greet();
  world_.server->drain();
  world_.settle();
  world_.say(headers(1, kPostFields) + ping_ack() + headers(3, kPostFields, false) +
             frame(test::kData, test::kEndStream, 3, "abc") + headers(5, kPostFields));
  EXPECT_EQ(goaways(), (std::vector{kAll, 1U}));
  EXPECT_EQ(world_.given, 1);
  world_.say(headers(7, kPostFields));
  EXPECT_EQ(world_.given, 1);
  world_.streams[0]->try_write(kOk);
  world_.streams.clear();
  world_.settle();
  EXPECT_EQ(world_.first(test::kData, 1).flags, test::kEndStream);
}

TEST_F(Drain, IsNotThroughBeforeTheLastByteIsWritten) {
  world_.capacity = 100;  // of a transport, both ways
  world_.start_raw_server();
  world_.greet();
  world_.heard();
  world_.say(headers(1, kGetFields));
  ASSERT_EQ(world_.given, 1);
  world_.server->drain();
  world_.settle();
  world_.heard();
  world_.say(ping_ack());
  world_.heard();
  world_.settle();
  EXPECT_FALSE(world_.server->has_unsent()) << "the stream's owner has given it nothing";
  world_.streams[0]->try_write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" +
                               std::string(1000, 'x'));
  world_.streams.clear();
  EXPECT_TRUE(world_.server->has_unsent()) << "nothing is written within a call";
  for (int reads = 0; reads < 30 && world_.server->has_unsent(); ++reads) {
    EXPECT_FALSE(world_.has(test::kData, 1)) << "one frame";
    world_.settle();
  }
  EXPECT_FALSE(world_.server->has_unsent());
  EXPECT_EQ(world_.first(test::kData, 1).flags, test::kEndStream);
}

TEST_F(Drain, IsNotThroughWhileTheWindowOfAResponseIsClosed) {
  world_.start_raw_server();
  world_.say(std::string(kPreface) +
             frame(test::kSettings, 0, 0, number(4, 2) + number(1, 4)));  // a window of one byte
  world_.say(headers(1, kGetFields));
  world_.server->drain();
  world_.settle();
  world_.say(ping_ack());
  world_.streams[0]->try_write(kOk);
  world_.streams.clear();
  world_.pass(std::chrono::seconds(10));
  EXPECT_TRUE(world_.server->has_unsent());
  world_.say(frame(test::kWindowUpdate, 0, 1, number(1, 4)));
  EXPECT_FALSE(world_.server->has_unsent());
  EXPECT_FALSE(world_.has(test::kRstStream, 1));
}

/// A server that ends closes its connection, although the client has something to write.
TEST_F(Drain, ResponsesThatCameBeforeAWriteFailedAreRead) {
  constexpr int kStreams = 8;  // more than is read in one turn
  world_.start_raw_client();
  std::vector<ConnectionPtr> callers;
  for (int i = 0; i < kStreams; ++i) {
    callers.push_back(world_.client->open_stream());
    callers.back()->try_write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  world_.say(frame(test::kSettings, 0, 0));
  std::string responses = frame(test::kPing, 0, 0, number(0, 8));
  for (int i = 0; i < kStreams; ++i) {
    responses += headers(id(i), {{":status", "200"}}, false);
    for (int part = 0; part < 4; ++part) {
      const std::uint8_t flags = part == 3 ? test::kEndStream : 0;
      responses += frame(test::kData, flags, id(i), std::string(16'000, 'x'));
    }
  }
  world_.raw->try_write(responses);
  world_.raw->close();
  world_.settle();
  EXPECT_TRUE(world_.client->has_ended());
  for (const ConnectionPtr& caller : callers) {
    EXPECT_FALSE(caller->was_reset());
    EXPECT_GT(read_now(*caller).size(), 64'000U);
  }
}

}  // namespace
}  // namespace bellows::http2
