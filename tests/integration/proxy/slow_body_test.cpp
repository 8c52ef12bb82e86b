// Callers that send their bodies slowly: they hold no slot, and not for ever.
#include <gtest/gtest.h>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::seconds;
using test::TestPeer;

ProxyServerOptions with_rate(std::int64_t rate) {
  ProxyServerOptions options;
  options.min_body_rate = rate;
  options.reads_small_bodies = true;
  return options;
}

std::string upload_head(std::size_t length) {
  return "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
}

class SlowBody : public testing::Test {
 protected:
  explicit SlowBody(std::int64_t rate = 64)
      : world_({.slots = 5, .queue = {.count = 100}}, with_rate(rate)) {}

  void work() {
    for (int turn = 0; turn < 20; ++turn) world_.io.poll();
  }
  void expect_status(TestPeer& caller, const std::string& status) {
    ASSERT_TRUE(world_.until([&] { return caller.listen(), !caller.received().empty(); }));
    EXPECT_TRUE(caller.received().starts_with("HTTP/1.1 " + status + " ")) << caller.received();
  }

  ProxyWorld world_;
};

TEST_F(SlowBody, FiveUploadsOfOneByteASecondLeaveTheSlotsToOthers) {
  std::vector<TestPeer> uploads;
  for (int i = 0; i < 5; ++i) {
    uploads.push_back(world_.caller());
    ASSERT_TRUE(uploads.back().say(upload_head(i < 3 ? 1000 : 1'000'000) + "x"));
  }
  ASSERT_TRUE(world_.until([&] { return world_.server.counters().in_flight == 5; }));
  for (int second = 0; second < 20; ++second) {
    for (TestPeer& upload : uploads) ASSERT_TRUE(upload.say("x"));
    world_.pass(seconds(1));
    work();
    EXPECT_EQ(world_.handler.limiter.breaker().running(), 0);
  }
  TestPeer honest = world_.caller();
  ASSERT_TRUE(honest.say(kGet));
  TestPeer app = world_.accept();
  ASSERT_TRUE(world_.hears(app, kGet));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world_.hears(honest, kOk));
  for (int second = 0; second < 15; ++second) {
    for (TestPeer& upload : uploads) upload.say("x");
    world_.pass(seconds(1));
    work();
  }
  for (TestPeer& upload : uploads) expect_status(upload, "408");
}

TEST_F(SlowBody, ThatIsSmallGoesOnOnceItIsWholeAndItsTimeBeginsThen) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(caller.say(upload_head(5) + "he"));
  ASSERT_TRUE(world_.until([&] { return world_.server.counters().in_flight == 1; }));
  world_.pass(seconds(10));
  work();
  EXPECT_FALSE(world_.app.accept().is_open()) << "the app has no part in it yet";
  ASSERT_TRUE(caller.say("llo"));
  TestPeer app = world_.accept();
  ASSERT_TRUE(world_.hears(app, upload_head(5) + "hello"));
  world_.pass(seconds(3));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world_.hears(caller, kOk));
  ASSERT_TRUE(world_.until([&] { return !world_.outcomes.empty(); }));
  EXPECT_EQ(world_.outcomes.at(0).total, seconds(3));
}

TEST_F(SlowBody, ThatIsLargeGoesOnWithTheFirstBlock) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(caller.say(upload_head(100'000) + std::string(20'000, 'x')));
  EXPECT_TRUE(world_.accept().is_open());
}

TEST_F(SlowBody, OfUnknownLengthGoesOnAtOnceAndIsLateAfterThirtySeconds) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(caller.say("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
  world_.handler.options.downstream = Peer::kOutside;
  TestPeer app = world_.accept();
  for (int second = 0; second < 29; ++second) {
    ASSERT_TRUE(caller.say("1\r\nx\r\n"));
    world_.pass(seconds(1));
    work();
  }
  EXPECT_EQ(world_.server.counters().in_flight, 1);
  for (int second = 0; second < 10; ++second) {
    caller.say("1\r\nx\r\n");
    world_.pass(seconds(1));
    work();
  }
  expect_status(caller, "408");
  EXPECT_TRUE(world_.hears_end(app));
}

TEST_F(SlowBody, OfACallerThatAsksFirstGoesToTheAppWithoutIt) {
  TestPeer caller = world_.caller();
  const std::string asks =
      "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
  ASSERT_TRUE(caller.say(asks));
  TestPeer app = world_.accept();
  EXPECT_TRUE(world_.hears(app, asks));
}

TEST_F(SlowBody, OfACallerThatLeavesReachesNobody) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(caller.say(upload_head(5) + "he"));
  ASSERT_TRUE(world_.until([&] { return world_.server.counters().in_flight == 1; }));
  caller.close();
  ASSERT_TRUE(world_.is_at_rest());
  EXPECT_EQ(world_.outcomes.at(0).error, ErrorKind::kCancelled);
  EXPECT_FALSE(world_.app.accept().is_open());
}

class SlowBodyWithoutRate : public SlowBody {
 protected:
  SlowBodyWithoutRate() : SlowBody(0) {}
};

TEST_F(SlowBodyWithoutRate, GoesOnWithWhatThereIsAfterAMinute) {
  TestPeer caller = world_.caller();
  ASSERT_TRUE(caller.say(upload_head(5) + "he"));
  ASSERT_TRUE(world_.until([&] { return world_.server.counters().in_flight == 1; }));
  world_.pass(seconds(61));
  TestPeer app = world_.accept();
  EXPECT_TRUE(world_.hears(app, upload_head(5) + "he"));
}

}  // namespace
}  // namespace bellows::proxy
