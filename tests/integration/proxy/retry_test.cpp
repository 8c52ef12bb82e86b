// What a failed try says about the request: may another upstream get it?
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "http/h2/core/preface.hpp"
#include "proxy/io/kept_body.hpp"
#include "tests/integration/h2/frames.hpp"
#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using test::frame;
using test::Frame;
using test::TestPeer;

// Once over the idle connection, once over a fresh one: another upstream may still get it, because
// one of both may have ended before it read the request.
TEST(IdleUpstream, OfAnAppThatDropsARequestTwiceIsRetriedElsewhere) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  TestPeer app;
  warm_up(world, caller, app);
  ASSERT_TRUE(caller.say(kGet));
  ASSERT_TRUE(world.hears(app, kGet));
  app.close();
  TestPeer again = world.accept();
  ASSERT_TRUE(world.hears(again, kGet));
  again.close();
  ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
  EXPECT_TRUE(world.handler.errors.at(0).may_retry());
  EXPECT_EQ(world.outcomes.at(1).retries.runs(), 2);
}

// The replica was killed: what waits in the backlog of its socket is reset and has reached nobody.
TEST(FreshUpstream, ThatIsResetBeforeItReadTheRequestHasReachedNobody) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(app.is_open());
  app.reset();
  ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
  EXPECT_TRUE(world.handler.errors.at(0).may_retry());
  ASSERT_TRUE(world.until([&] { return !world.outcomes.empty(); }));
  EXPECT_EQ(world.outcomes.at(0).retries.runs(), 0);
}

TEST(FreshUpstream, ThatIsResetAfterAPostWasSentDoesNotGetItAgain) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kPost));
  TestPeer app = world.accept();
  ASSERT_TRUE(app.is_open());
  app.reset();
  ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
  EXPECT_FALSE(world.handler.errors.at(0).may_retry());
}

// Over the fresh connection the hop reports how often its app may have received the request.
TEST(IdleUpstream, OfAHopWithoutItsAppIsRetriedUpToThreeTimes) {
  struct Case {
    std::string lines;
    bool may_retry;
  };
  for (const auto& [lines, may_retry] :
       {Case{"X-Bellows-Reason: refused\r\n", true}, Case{"X-Bellows-Reason: reset\r\n", true},
        Case{"X-Bellows-Reason: overloaded\r\n", true},
        Case{"X-Bellows-Reason: reset\r\nX-Bellows-Runs: 0\r\n", true},
        Case{"X-Bellows-Reason: reset\r\nX-Bellows-Runs: 2\r\n", false}}) {
    ProxyWorld world;
    world.handler.options.upstream = Peer::kInside;
    TestPeer caller = world.caller();
    TestPeer queue_proxy;
    warm_up(world, caller, queue_proxy);
    ASSERT_TRUE(caller.say(kGet));
    ASSERT_TRUE(world.hears(queue_proxy, kGet));
    queue_proxy.close();
    TestPeer again = world.accept();
    ASSERT_TRUE(world.hears(again, kGet));
    ASSERT_TRUE(again.say("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n" + lines +
                          "x-bellows-retry: elsewhere\r\n\r\n"));
    ASSERT_TRUE(world.until([&] { return !world.handler.errors.empty(); }));
    EXPECT_EQ(world.handler.errors.at(0).may_retry(), may_retry) << lines;
  }
}

/// A body of which the app has got a part when it says that it did nothing of the request.
struct Upload {
  const char* what;
  std::string head;  ///< as its caller says it
  std::string before;
  std::string after;
  std::string body;   ///< as an app of HTTP/2 hears it
  std::size_t given;  ///< of it, when the app refuses
};

std::string some_bytes(std::size_t count) {
  std::string text;
  while (text.size() < count) text += "byte " + std::to_string(text.size()) + ", ";
  return text.substr(0, count);
}

std::string chunk(const std::string& data) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", data.size());
  return size + data + "\r\n";
}

/// In DATA frames of stream 1.
std::string data_frames(const std::string& data, bool ends) {
  std::string frames;
  for (std::size_t at = 0; at < data.size(); at += 10'000) {
    const bool is_last = ends && at + 10'000 >= data.size();
    frames += frame(test::kData, is_last ? test::kEndStream : 0, 1, data.substr(at, 10'000));
  }
  return frames;
}

std::vector<Upload> uploads() {
  const std::string large = some_bytes(150'000);
  const std::string begin = large.substr(0, 55'000);
  const std::string end = large.substr(55'000);
  const std::string by_http2 = std::string(http2::kPreface) + frame(test::kSettings, 0, 0) +
                               test::headers(1, test::kPostFields, false);
  const std::string chunked = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  return {
      {"ten bytes by HTTP/1.1", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n",
       "hello", "world", "helloworld", 5},
      {"chunks by HTTP/1.1", chunked + "3\r\nhel\r\n", "2\r\nlo\r\n", "0\r\n\r\n", "hello", 5},
      {"in the middle of a chunk", chunked + "a;odd=1\r\nh", "ello", "world\r\n0\r\n\r\n",
       "helloworld", 5},
      {"a large one by HTTP/1.1", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 150000\r\n\r\n",
       begin, end, large, begin.size()},
      {"large chunks by HTTP/1.1", chunked, chunk(begin), chunk(end) + "0\r\n\r\n", large,
       begin.size()},
      {"ten bytes by HTTP/2", by_http2, data_frames("hello", false), data_frames("world", true),
       "helloworld", 5},
      {"as much as a window by HTTP/2", by_http2, data_frames(begin.substr(0, 30'000), false),
       data_frames(begin.substr(30'000), true), begin, 30'000},
  };
}

class UploadToAnAppOfHttp2 : public testing::Test {
 protected:
  static constexpr std::uint32_t kLargeWindow = 1'000'000;

  UploadToAnAppOfHttp2() { begin(); }
  /// One try after the other has a world of its own.
  void begin() {
    world_.emplace();
    world_->handler.options.version = UpstreamVersion::kHttp2;
  }

  /// A connection whose app takes much of each stream, or as much as is usual.
  TestPeer accept(bool is_generous) {
    TestPeer app = world_->accept();
    const std::string settings =
        is_generous ? test::number(4, 2) + test::number(kLargeWindow, 4) : "";
    EXPECT_TRUE(app.say(frame(test::kSettings, 0, 0, settings) +
                        frame(test::kWindowUpdate, 0, 0, test::number(kLargeWindow, 4))));
    return app;
  }
  static std::string body_of(const TestPeer& app, std::uint32_t stream) {
    std::string body;
    for (const Frame& each :
         test::frames_of(std::string_view(app.received()).substr(http2::kPreface.size()))) {
      if (each.stream == stream && each.type == test::kData) body += each.payload;
    }
    return body;
  }
  bool hears_body(TestPeer& app, std::uint32_t stream, std::string_view body) {
    return world_->until([&] {
      app.listen();
      return app.received().size() >= http2::kPreface.size() &&
             body_of(app, stream).size() >= body.size();
    }) && body_of(app, stream) == body;
  }
  bool is_answered(TestPeer& app, std::uint32_t stream, std::size_t requests = 1) {
    return app.say(test::headers(stream, {{":status", "204"}})) &&
           world_->until([&] { return world_->outcomes.size() == requests; });
  }
  /// However little of it fits into the system's buffer.
  bool says(TestPeer& caller, std::string_view text) {
    return world_->until([&] {
      text.remove_prefix(caller.say_some(text));
      return text.empty();
    });
  }
  static std::string refused(std::uint32_t stream) {
    return frame(test::kRstStream, 0, stream, test::number(7, 4));
  }
  static std::string gone() { return frame(test::kGoaway, 0, 0, std::string(8, '\0')); }

  std::optional<ProxyWorld> world_;
};

TEST_F(UploadToAnAppOfHttp2, ThatItDidNotProcessIsSentAgainWhole) {
  for (const Upload& upload : uploads()) {
    for (const bool leaves : {false, true}) {
      SCOPED_TRACE(std::string(upload.what) + (leaves ? ", GOAWAY" : ", REFUSED_STREAM"));
      begin();
      TestPeer caller = world_->caller();
      ASSERT_TRUE(caller.say(upload.head));
      TestPeer app = accept(false);
      ASSERT_TRUE(world_->until([&] {
        app.listen();
        return app.received().size() > http2::kPreface.size();
      }));
      const std::string some = upload.body.substr(0, upload.given);
      ASSERT_TRUE(says(caller, upload.before));
      ASSERT_TRUE(hears_body(app, 1, some));
      ASSERT_TRUE(app.say(leaves ? gone() : refused(1)));
      TestPeer other = leaves ? accept(true) : TestPeer();
      TestPeer& next = leaves ? other : app;
      const std::uint32_t stream = leaves ? 1 : 3;
      ASSERT_TRUE(hears_body(next, stream, some));
      ASSERT_TRUE(next.say(frame(test::kWindowUpdate, 0, stream, test::number(kLargeWindow, 4))));
      ASSERT_TRUE(says(caller, upload.after));
      ASSERT_TRUE(hears_body(next, stream, upload.body));
      ASSERT_TRUE(is_answered(next, stream));
      EXPECT_EQ(world_->outcomes[0].status, 204);
      EXPECT_EQ(world_->outcomes[0].retries.runs(), 0);
      EXPECT_TRUE(world_->is_at_rest());
    }
  }
}

// It was read to its end, and waits in the queue of its stream for a window.
TEST_F(UploadToAnAppOfHttp2, ThatHasArrivedWhileTheAppTakesLessIsSentAgainWhole) {
  const std::string body = some_bytes(150'000);
  TestPeer caller = world_->caller();
  ASSERT_TRUE(caller.say("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 150000\r\n\r\n"));
  TestPeer app = accept(false);
  ASSERT_TRUE(says(caller, body));
  ASSERT_TRUE(hears_body(app, 1, body.substr(0, 65'535)));
  ASSERT_TRUE(app.say(gone()));
  TestPeer next = accept(true);
  ASSERT_TRUE(hears_body(next, 1, body));
  ASSERT_TRUE(is_answered(next, 1));
  EXPECT_EQ(world_->outcomes[0].status, 204);
}

TEST_F(UploadToAnAppOfHttp2, ThatIsSentAgainIsFollowedByTheNextRequest) {
  TestPeer caller = world_->caller();
  ASSERT_TRUE(
      caller.say("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"));
  TestPeer app = accept(false);
  ASSERT_TRUE(hears_body(app, 1, "abc"));
  ASSERT_TRUE(caller.say("1\r\nd\r\n0\r\n\r\n" + kGet));
  ASSERT_TRUE(hears_body(app, 1, "abcd"));
  ASSERT_TRUE(app.say(refused(1)));
  ASSERT_TRUE(hears_body(app, 3, "abcd"));
  ASSERT_TRUE(is_answered(app, 3));
  ASSERT_TRUE(is_answered(app, 5, 2));
  EXPECT_EQ(world_->outcomes[1].status, 204);
  EXPECT_EQ(world_->handler.errors.size(), 0U);
}

TEST_F(UploadToAnAppOfHttp2, OfWhichTooMuchIsOnItsWayIsNotSentAgain) {
  const std::string body = some_bytes(KeptBody::kMost + 1);
  TestPeer caller = world_->caller();
  ASSERT_TRUE(caller.say("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"));
  TestPeer app = accept(true);
  ASSERT_TRUE(world_->until([&] {
    app.listen();
    return app.received().size() > http2::kPreface.size() + 60;
  }));
  ASSERT_TRUE(says(caller, body));
  ASSERT_TRUE(hears_body(app, 1, body));
  ASSERT_TRUE(app.say(refused(1)));
  ASSERT_TRUE(world_->until([&] { return world_->outcomes.size() == 1; }));
  EXPECT_EQ(world_->outcomes[0].status, 502);
  EXPECT_EQ(world_->outcomes[0].upstream_tries, 1);
  EXPECT_TRUE(world_->hears_end(caller)) << "nobody knows where its next request begins";
}

// An interim response shows that the app has begun, whatever it says afterwards. And one that
// closes without a word may have run it, unless that does no harm.
TEST_F(UploadToAnAppOfHttp2, ThatTheAppMayHaveRunIsSentAgainIfThatDoesNoHarm) {
  struct Case {
    const char* method;
    bool has_begun;
    std::string said;
    bool is_sent_again;
  };
  for (const Case& each : {Case{"POST", true, refused(1), false}, Case{"POST", false, "", false},
                           Case{"PUT", true, "", false}, Case{"PUT", false, "", true}}) {
    SCOPED_TRACE(std::string(each.method) + (each.has_begun ? ", 103" : ""));
    begin();
    TestPeer caller = world_->caller();
    ASSERT_TRUE(caller.say(each.method + std::string(" /a HTTP/1.1\r\nHost: a\r\n") +
                           "Content-Length: 10\r\n\r\n"));
    TestPeer app = accept(false);
    ASSERT_TRUE(caller.say("hello"));
    ASSERT_TRUE(hears_body(app, 1, "hello"));
    if (each.has_begun) {
      ASSERT_TRUE(app.say(test::headers(1, {{":status", "103"}}, false)));
      ASSERT_TRUE(world_->until([&] {
        caller.listen();
        return caller.received().ends_with("\r\n\r\n");
      }));
    }
    ASSERT_TRUE(app.say(each.said));
    app.finish();
    world_->handler.tries = 2;
    if (each.is_sent_again) {
      TestPeer next = accept(false);
      ASSERT_TRUE(caller.say("world"));
      ASSERT_TRUE(hears_body(next, 1, "helloworld"));
      ASSERT_TRUE(is_answered(next, 1));
    } else {
      ASSERT_TRUE(world_->until([&] { return world_->outcomes.size() == 1; }));
    }
    EXPECT_EQ(world_->outcomes[0].status, each.is_sent_again ? 204 : 502);
  }
}

// A queue-proxy whose app is gone, behind an activator.
TEST_F(UploadToAnAppOfHttp2, ThatAnInnerHopCouldNotHandOnIsSentElsewhereWhole) {
  world_->handler.options.upstream = Peer::kInside;
  world_->handler.tries = 2;
  TestPeer caller = world_->caller();
  ASSERT_TRUE(caller.say("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"));
  TestPeer hop = accept(false);
  ASSERT_TRUE(caller.say("hello"));
  ASSERT_TRUE(hears_body(hop, 1, "hello"));
  ASSERT_TRUE(hop.say(test::headers(
      1, {{":status", "502"}, {"x-bellows-reason", "refused"}, {"x-bellows-retry", "elsewhere"}})));
  ASSERT_TRUE(caller.say("world"));
  ASSERT_TRUE(hears_body(hop, 3, "helloworld"));
  ASSERT_TRUE(is_answered(hop, 3));
  EXPECT_EQ(world_->outcomes[0].status, 204);
}

TEST(KeptBody, OfManyRequestsIsBounded) {
  std::size_t of_all = KeptBody::kMostOfAll - 10;
  KeptBody kept(of_all);
  kept.begin("hello", true);
  kept.add("world");
  EXPECT_EQ(kept.view(), "helloworld");
  kept.add("!");
  EXPECT_TRUE(kept.is_lost());
  EXPECT_EQ(of_all, KeptBody::kMostOfAll - 10);
}

TEST(KeptBody, IsFreedOnceTheResponseBeginsUnlessItIsOnItsWayStill) {
  for (const bool is_used : {false, true}) {
    std::size_t of_all = 0;
    KeptBody kept(of_all);
    kept.begin("", true);
    kept.add("hello");
    kept.stop(is_used);
    EXPECT_EQ(of_all, is_used ? 5U : 0U);
    kept.add("world");
    EXPECT_EQ(of_all, 0U);
    EXPECT_TRUE(kept.is_lost());
    kept.reset();
    EXPECT_FALSE(kept.has_begun());
  }
}

}  // namespace
}  // namespace bellows::proxy
