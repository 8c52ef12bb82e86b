// Slow peers: bounded in memory by a block or two each, in time by the limits.
#include <gtest/gtest.h>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;

const std::string kUpgrade =
    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
const std::string kSwitched =
    "HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
const std::string kPiece(64 * 1024, 'x');
constexpr std::size_t kMuch = std::size_t{64} * 1024 * 1024;

class SlowPeers : public testing::Test {
 protected:
  void ask(const std::string& request) {
    caller_ = world_.caller();
    ASSERT_TRUE(caller_.say(request));
    app_ = world_.accept();
    ASSERT_TRUE(world_.until([&] {
      app_.listen();
      return app_.received().ends_with("\r\n\r\n");
    }));
    app_.take_received();
  }
  /// Sends until the socket takes no more, which must happen long before the end. Returns the
  /// bytes.
  std::size_t fill(TestPeer& from) {
    std::size_t said = 0;
    for (int refused = 0; refused < 20 && said < kMuch; world_.io.poll()) {
      const std::size_t more = from.say_some(kPiece);
      said += more;
      refused = more > 0 ? 0 : refused + 1;
    }
    EXPECT_LT(said, kMuch) << "nobody holds the sender up";
    EXPECT_LE(world_.reactor.buffers().borrowed(), 4U) << "two each way, and no more";
    return said;
  }
  void expect_reset(TestPeer& peer) {
    ASSERT_TRUE(world_.hears_end(peer));
    EXPECT_TRUE(peer.was_reset());
    EXPECT_TRUE(world_.is_at_rest());
  }
  void expect_status(const std::string& status) {
    ASSERT_TRUE(world_.until([&] {
      caller_.listen();
      return !caller_.received().empty();
    }));
    EXPECT_TRUE(caller_.received().starts_with("HTTP/1.1 " + status + " ")) << caller_.received();
    EXPECT_TRUE(world_.is_at_rest());
  }
  TimeLimits& limits() { return world_.handler.options.limits; }

  ProxyWorld world_;
  TestPeer caller_;
  TestPeer app_;
};

TEST_F(SlowPeers, HeadsThatTrickleTakeABlockEachForSixtySeconds) {
  std::vector<TestPeer> callers;
  for (int i = 0; i < 50; ++i) {
    callers.push_back(world_.caller());
    ASSERT_TRUE(callers.back().say("G"));
  }
  ASSERT_TRUE(world_.until([&] { return world_.reactor.buffers().borrowed() == 50; }));
  for (int second = 0; second < 55; second += 5) {
    for (TestPeer& caller : callers) ASSERT_TRUE(caller.say("E"));
    world_.pass(seconds(5));
    world_.io.poll();
  }
  EXPECT_EQ(world_.reactor.buffers().borrowed(), 50U);
  world_.pass(seconds(6));
  for (TestPeer& caller : callers) {
    ASSERT_TRUE(world_.hears_end(caller));
    EXPECT_TRUE(caller.received().starts_with("HTTP/1.1 408 "));
  }
  callers.clear();
  EXPECT_TRUE(world_.is_at_rest());
  EXPECT_EQ(world_.server.counters().requests, 0U);
}

TEST_F(SlowPeers, AnEmptyLineAfterABodyDoesNotBeginAHead) {
  ask("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n");
  ASSERT_TRUE(caller_.say("x\r\n"));
  ASSERT_TRUE(world_.hears(app_, "x"));
  ASSERT_TRUE(app_.say(kOk));
  ASSERT_TRUE(world_.hears(caller_, kOk));
  world_.pass(seconds(61));
  world_.io.poll();
  EXPECT_TRUE(world_.is_at_rest()) << "no memory is held for it";
  caller_.take_received();
  ASSERT_TRUE(caller_.say(kGet));
  TestPeer app = world_.accept();  // the kept connection has grown too old
  ASSERT_TRUE(world_.hears(app, kGet));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world_.hears(caller_, kOk));
  caller_.take_received();
  ASSERT_TRUE(caller_.say("\r\n"));
  world_.io.poll();
  ASSERT_TRUE(caller_.say("\r\n"));
  EXPECT_TRUE(world_.hears_end(caller_)) << "one is enough";
  EXPECT_EQ(status_line(caller_), "HTTP/1.1 400 Bad Request");
}

TEST_F(SlowPeers, ABodyThatTricklesEndsWithTheTotalLimit) {
  limits() = {.total = seconds(30), .response_start = Duration::zero(), .idle = seconds(10)};
  ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
  for (int second = 0; second < 25; second += 5) {
    ASSERT_TRUE(caller_.say("x"));
    world_.io.poll();
    world_.pass(seconds(5));
  }
  EXPECT_EQ(world_.server.counters().in_flight, 1) << "each byte is activity";
  ASSERT_TRUE(caller_.say("x"));
  world_.pass(milliseconds(5100));
  expect_status("408");
  EXPECT_EQ(world_.handler.errors.at(0).side(), ErrorSide::kDownstream) << "no fault of the app";
  EXPECT_EQ(world_.outcomes.at(0).request_bytes, 5U);
  EXPECT_TRUE(world_.hears_end(app_)) << "half a request is no request";
  EXPECT_TRUE(app_.was_reset());
}

TEST_F(SlowPeers, AStalledUploadIsItsCallersFaultUnlessItWasToldToWait) {
  for (const auto& [expect, status] :
       {std::pair("", "408"), std::pair("Expect: 100-continue\r\n", "504")}) {
    limits().idle = seconds(10);
    const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n";
    ask(head + expect + "\r\n");
    world_.pass(milliseconds(10'100));
    expect_status(status);
  }
  EXPECT_EQ(world_.handler.errors.at(0).side(), ErrorSide::kDownstream);
  EXPECT_EQ(world_.handler.errors.at(1).side(), ErrorSide::kUpstream);
}

TEST_F(SlowPeers, AStalledUploadAfterAnEarlyResponseIsItsCallersFaultToo) {
  limits().idle = seconds(10);
  ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n");
  ASSERT_TRUE(app_.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegun"));
  ASSERT_TRUE(world_.until([&] {
    caller_.listen();
    return caller_.received().ends_with("begun");
  }));
  world_.pass(milliseconds(10'100));
  expect_reset(caller_);
  EXPECT_EQ(world_.outcomes.at(0).aborted_by, AbortedBy::kDownstream);
}

TEST_F(SlowPeers, ACallerThatDoesNotReadIsResetByTheIdleLimit) {
  limits().idle = seconds(10);
  ask(kGet);
  ASSERT_TRUE(app_.say("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"));
  fill(app_);
  world_.pass(milliseconds(10'100));
  expect_reset(caller_);
  EXPECT_EQ(world_.outcomes.at(0).aborted_by, AbortedBy::kDownstream);
  expect_reset(app_);
}

TEST_F(SlowPeers, ASlowlyReadingCallerIsResetByTheTotalLimit) {
  limits() = {.total = seconds(60), .response_start = Duration::zero(), .idle = seconds(10)};
  ask(kGet);
  ASSERT_TRUE(app_.say("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"));
  for (int second = 0; second < 55; second += 5) {
    fill(app_);
    caller_.listen();
    world_.pass(seconds(5));
  }
  EXPECT_EQ(world_.server.counters().in_flight, 1);
  fill(app_);
  world_.pass(milliseconds(5100));
  expect_reset(caller_);
}

TEST_F(SlowPeers, AnAppThatDoesNotReadAnUploadIs504) {
  limits().idle = seconds(10);
  ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n");
  fill(caller_);
  world_.pass(milliseconds(10'100));
  expect_status("504");
}

TEST_F(SlowPeers, AnUploadThatWaitsForItsResponseTakesNoBlock) {
  const std::string length = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n";
  const std::string body(60000, 'x');
  ask(length);
  ASSERT_TRUE(caller_.say(body));
  ASSERT_TRUE(world_.hears(app_, body));
  EXPECT_EQ(world_.reactor.buffers().borrowed(), 1U) << "its head alone";
  ASSERT_TRUE(app_.say("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_TRUE(world_.is_at_rest());
}

TEST_F(SlowPeers, ARequestAfterAnUploadIsBufferedUntilItsTurn) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  ask(chunked);
  const std::string body = "3e8\r\n" + std::string(1000, 'x') + "\r\n0\r\n\r\n";
  ASSERT_TRUE(caller_.say(body + kGet));
  ASSERT_TRUE(world_.hears(app_, body));
  EXPECT_EQ(world_.reactor.buffers().borrowed(), 2U);
  ASSERT_TRUE(app_.say("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_TRUE(world_.hears(app_, body + kGet));
}

TEST_F(SlowPeers, AnIdleTunnelTakesOnlyTheHeadOfItsRequest) {
  ask(kUpgrade);
  ASSERT_TRUE(app_.say(kSwitched + "first"));
  ASSERT_TRUE(world_.hears(caller_, kSwitched + "first"));
  ASSERT_TRUE(caller_.say("ping"));
  ASSERT_TRUE(world_.hears(app_, "ping"));
  EXPECT_EQ(world_.reactor.buffers().borrowed(), 1U);
}

TEST_F(SlowPeers, AnUploadThatIsResetEndsAlthoughItsAppDoesNotRead) {
  ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n");
  fill(caller_);
  caller_.reset();
  EXPECT_TRUE(world_.is_at_rest()) << "its slot is for others";
  EXPECT_EQ(world_.outcomes.at(0).error, ErrorKind::kReset);
  expect_reset(app_);
}

TEST_F(SlowPeers, AnUploadWhoseCallerLeavesEndsAlthoughItsAppDoesNotRead) {
  for (const std::string framing : {"Content-Length: 99999999", "Transfer-Encoding: chunked"}) {
    for (const auto leave : {&TestPeer::finish, &TestPeer::close}) {
      ask("POST / HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n");
      ASSERT_TRUE(caller_.say("5f5e0ff\r\n"));
      fill(caller_);
      // A FIN comes once all bytes before it are in the proxy's system.
      ASSERT_TRUE(world_.until([&] { return app_.listen(4096), caller_.unsent() == 0; }));
      (caller_.*leave)();
      EXPECT_TRUE(world_.is_at_rest()) << framing;
      EXPECT_EQ(world_.outcomes.back().error, ErrorKind::kReset);
      expect_reset(app_);
    }
  }
}

TEST_F(SlowPeers, ATunnelThatIsResetEndsAlthoughItsAppDoesNotRead) {
  ask(kUpgrade);
  ASSERT_TRUE(app_.say(kSwitched));
  ASSERT_TRUE(world_.hears(caller_, kSwitched));
  fill(caller_);
  caller_.reset();
  EXPECT_TRUE(world_.is_at_rest());
  expect_reset(app_);
}

TEST_F(SlowPeers, PipelinedRequestsWaitUntilTheirResponsesAreRead) {
  limits().idle = seconds(10);
  const std::string answer =
      "HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n" + std::string(65536, 'x');
  ask(kGet);
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += kGet;
  ASSERT_TRUE(caller_.say(requests));
  for (int quiet = 0; quiet < 20; world_.io.poll()) {
    ++quiet;
    app_.listen();
    if (app_.take_received().empty() && world_.server.counters().requests > 1) continue;
    if (app_.say(answer)) quiet = 0;
  }
  EXPECT_LT(world_.server.counters().requests, 1000U) << "those behind are not even begun";
  EXPECT_LE(world_.reactor.buffers().borrowed(), 3U);
  world_.pass(milliseconds(10'100));
  expect_reset(caller_);
}

TEST_F(SlowPeers, ATunnelSlowsBothSendersAndEndsByTheIdleLimit) {
  limits() = {.total = seconds(1), .response_start = seconds(1), .idle = seconds(30)};
  ask(kUpgrade);
  ASSERT_TRUE(app_.say(kSwitched));
  ASSERT_TRUE(world_.hears(caller_, kSwitched));
  fill(app_);
  fill(caller_);
  world_.pass(seconds(25));
  EXPECT_EQ(world_.server.counters().in_flight, 1) << "total and start do not bind it";
  world_.pass(milliseconds(5100));
  expect_reset(caller_);
  expect_reset(app_);
}

// The app has closed, the caller is idle and does not close: its slot is released.
TEST_F(SlowPeers, ATunnelWhoseAppHasEndedWaitsTenSecondsForItsCaller) {
  limits() = {.total = seconds(1), .response_start = seconds(1), .idle = Duration::zero()};
  ask(kUpgrade);
  ASSERT_TRUE(app_.say(kSwitched));
  ASSERT_TRUE(world_.hears(caller_, kSwitched));
  app_.finish();
  ASSERT_TRUE(world_.hears_end(caller_));
  world_.pass(seconds(9));
  ASSERT_TRUE(caller_.say("still here"));
  ASSERT_TRUE(world_.hears(app_, "still here"));
  world_.pass(seconds(9));
  EXPECT_EQ(world_.server.counters().in_flight, 1) << "each byte is activity";
  world_.pass(milliseconds(1100));
  EXPECT_TRUE(world_.until([&] { return world_.server.counters().in_flight == 0; }));
}

// The caller has ended its side: the app may finish as long as it sends something.
TEST_F(SlowPeers, ATunnelWhoseCallerHasEndedWaitsTenSecondsForItsApp) {
  limits() = {.total = seconds(1), .response_start = seconds(1), .idle = Duration::zero()};
  ask(kUpgrade);
  ASSERT_TRUE(app_.say(kSwitched));
  ASSERT_TRUE(world_.hears(caller_, kSwitched));
  caller_.take_received();
  caller_.finish();
  ASSERT_TRUE(world_.hears_end(app_));
  world_.pass(seconds(9));
  ASSERT_TRUE(app_.say("still here"));
  ASSERT_TRUE(world_.hears(caller_, "still here"));
  world_.pass(seconds(9));
  EXPECT_EQ(world_.server.counters().in_flight, 1) << "each byte is activity";
  world_.pass(milliseconds(1100));
  EXPECT_TRUE(world_.until([&] { return world_.server.counters().in_flight == 0; }));
  EXPECT_FALSE(world_.outcomes.at(0).aborted_by);
}

// The app must have read what the caller sent before, or the end would look complete.
TEST_F(SlowPeers, ATunnelWhoseAppHasEndedAndReadsNoMoreIsReset) {
  limits() = {.total = seconds(1), .response_start = seconds(1), .idle = Duration::zero()};
  ask(kUpgrade);
  ASSERT_TRUE(app_.say(kSwitched));
  ASSERT_TRUE(world_.hears(caller_, kSwitched));
  app_.finish();
  ASSERT_TRUE(world_.hears_end(caller_));
  fill(caller_);
  world_.pass(milliseconds(10'100));
  ASSERT_TRUE(world_.until([&] { return !world_.outcomes.empty(); }));
  EXPECT_TRUE(world_.outcomes.at(0).aborted_by);
  EXPECT_EQ(world_.outcomes.at(0).aborted_by, AbortedBy::kUpstream);
}

TEST_F(SlowPeers, HintsAreRelayedTogetherAndYieldToOthers) {
  limits().idle = seconds(10);
  ask(kGet);
  std::string hints;
  for (int i = 0; i < 1000; ++i) hints += "HTTP/1.1 103 Early Hints\r\n\r\n";
  std::string_view left = hints;
  ASSERT_TRUE(world_.until([&] {
    left.remove_prefix(app_.say_some(left));
    caller_.listen();
    return left.empty() && caller_.received().size() >= hints.size();
  }));
  EXPECT_EQ(caller_.received(), hints);
  caller_.take_received();
  ASSERT_TRUE(app_.say("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_TRUE(world_.hears(caller_, "HTTP/1.1 204 No Content\r\n\r\n"));
}

TEST_F(SlowPeers, HintsAreActivity) {
  limits().idle = seconds(10);
  ask(kGet);
  const std::string hint = "HTTP/1.1 102 Processing\r\n\r\n";
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(app_.say(hint));
    ASSERT_TRUE(world_.hears(caller_, hint));
    caller_.take_received();
    world_.pass(seconds(8));
  }
  EXPECT_EQ(world_.server.counters().in_flight, 1);
  world_.pass(milliseconds(2100));
  expect_status("504");
}

TEST_F(SlowPeers, AnUnchunkedResponseIsResetLikeAnyOther) {
  limits().total = seconds(10);
  ask("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(app_.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"));
  ASSERT_TRUE(world_.hears(caller_, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc"));
  world_.pass(milliseconds(10'100));
  expect_reset(caller_);
}

TEST_F(SlowPeers, HintsDoNotCountAsTheStartOfTheResponse) {
  limits().response_start = seconds(3);
  ask(kGet);
  const std::string hints = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
  ASSERT_TRUE(app_.say(hints));
  ASSERT_TRUE(world_.hears(caller_, hints));
  world_.pass(milliseconds(3100));
  ASSERT_TRUE(world_.until([&] {
    caller_.listen();
    return caller_.received().size() > hints.size();
  }));
  EXPECT_NE(caller_.received().find("HTTP/1.1 504 "), std::string::npos);
  EXPECT_TRUE(world_.is_at_rest());
}

/// An app that sends more hints than its caller reads: a part of a hint has been sent, the rest
/// is pending.
class PendingHints : public SlowPeers {
 protected:
  void begin(const std::string& request) {
    limits().response_start = seconds(3);
    ask(request);
    std::size_t said = 0;
    for (int refused = 0; refused < 20; world_.io.poll()) {
      ASSERT_LT(said, kMuch) << "nobody holds the sender up";
      if (rest_.empty()) rest_ = kHint;
      const std::size_t bytes = app_.say_some(rest_);
      rest_.remove_prefix(bytes);
      said += bytes;
      refused = bytes > 0 ? 0 : refused + 1;
    }
  }
  /// The caller reads what there is; the app completes the hint that it began, and sends `last`.
  void read_on(const std::string& last) {
    const std::string all = std::string(rest_) + last;
    std::string_view left = all;
    ASSERT_TRUE(world_.until([&] {
      caller_.listen();
      left.remove_prefix(app_.say_some(left));
      return left.empty();
    }));
  }
  /// What the caller received after the last complete hint.
  std::string behind_hints() const {
    const std::string& received = caller_.received();
    std::size_t at = 0;
    while (std::string_view(received).substr(at).starts_with(kHint)) at += kHint.size();
    return received.substr(at);
  }

  inline static const std::string kHint =
      "HTTP/1.1 103 Early Hints\r\nLink: " + std::string(7000, 'a') + "\r\n\r\n";
  std::string_view rest_;  // of the hint that the app is sending
};

TEST_F(PendingHints, EndWithAResetWhenTheResponseIsLate) {
  begin(kGet);
  world_.pass(milliseconds(3100));
  expect_reset(caller_);
  EXPECT_EQ(behind_hints().find("504"), std::string::npos) << "a status within a hint";
  EXPECT_EQ(world_.outcomes.at(0).status, 0);
  EXPECT_EQ(world_.outcomes.at(0).error, ErrorKind::kTimeout);
}

TEST_F(PendingHints, EndWithAResetWhenTheRequestIsMalformed) {
  begin("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  ASSERT_TRUE(caller_.say("nonsense\r\n"));
  ASSERT_TRUE(world_.until([&] { return !world_.outcomes.empty(); }));
  expect_reset(caller_);
  EXPECT_EQ(behind_hints().find("400"), std::string::npos) << "a status within a hint";
}

TEST_F(PendingHints, AreSentCompletelyBeforeA502) {
  begin(kGet);
  read_on("");
  app_.close();
  ASSERT_TRUE(world_.until([&] {
    caller_.listen();
    return behind_hints().ends_with("closed before it responded\n");
  }));
  EXPECT_TRUE(behind_hints().starts_with("HTTP/1.1 502 Bad Gateway\r\n"));
  EXPECT_TRUE(world_.is_at_rest());
}

TEST_F(PendingHints, AreSentCompletelyBeforeTheResponse) {
  begin(kGet);
  read_on("HTTP/1.1 204 No Content\r\n\r\n");
  ASSERT_TRUE(world_.until([&] {
    caller_.listen();
    return behind_hints().ends_with("\r\n\r\n");
  }));
  EXPECT_TRUE(behind_hints().starts_with("HTTP/1.1 204 No Content\r\n"));
  EXPECT_TRUE(world_.is_at_rest());
}

TEST_F(SlowPeers, ARejectedCallerThatStaysIsClosedAfterTwoSeconds) {
  caller_ = world_.caller();
  ASSERT_TRUE(caller_.say("nonsense\r\n\r\n"));
  ASSERT_TRUE(world_.hears_end(caller_));
  EXPECT_EQ(world_.server.counters().open_connections, 1) << "so that the refusal can be read";
  world_.pass(milliseconds(2100));
  EXPECT_TRUE(world_.until([&] { return world_.server.counters().open_connections == 0; }));
}

TEST_F(SlowPeers, ARejectedCallerThatStillSendsIsClosedAfterAMegabyte) {
  caller_ = world_.caller();
  ASSERT_TRUE(caller_.say("nonsense\r\n\r\n"));
  ASSERT_TRUE(world_.hears_end(caller_));
  std::size_t said = 0;
  EXPECT_TRUE(world_.until([&] {
    if (caller_.say(kPiece)) said += kPiece.size();
    return world_.server.counters().open_connections == 0 || said > kMuch;
  }));
  EXPECT_LT(said, kMuch);
}

}  // namespace
}  // namespace bellows::proxy
