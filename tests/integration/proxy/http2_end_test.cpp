// The end of an upstream's connection of HTTP/2, and of a server with callers of HTTP/2: responses
// that are whole arrive whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <functional>

#include "http/h2/core/preface.hpp"
#include "tests/integration/h2/frames.hpp"
#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::frame;
using test::Frame;
using test::frames_of;
using test::headers;
using test::number;
using test::TestPeer;

/// DATA frames of `bytes` together, the last one with END_STREAM.
std::string data(std::size_t bytes) {
  constexpr std::size_t kMost = 16'384;
  std::string all;
  for (; bytes > kMost; bytes -= kMost) {
    all += frame(test::kData, 0, 1, std::string(kMost, 'x'));
  }
  return all + frame(test::kData, test::kEndStream, 1, std::string(bytes, 'x'));
}

/// The last frames of an upstream.
struct Last {
  const char* what;
  std::string frames;
  std::string end;  ///< of what a caller of HTTP/1.1 hears
};

std::vector<Last> last_frames() {
  const std::string head = headers(1, {{":status", "200"}}, false);
  const std::string with_length =
      headers(1, {{":status", "200"}, {"content-length", "1000"}}, false);
  const std::string goaway = frame(test::kGoaway, 0, 0, number(1, 4) + number(0, 4));
  return {
      {"a head alone", headers(1, {{":status", "404"}, {"content-length", "0"}}), "\r\n\r\n"},
      {"a body", head + data(200), "x\r\n0\r\n\r\n"},
      {"a body with a length", with_length + data(1000), "xxx"},
      {"a body of a whole window", head + data(65'535), "x\r\n0\r\n\r\n"},
      {"trailers", head + frame(test::kData, 0, 1, "abc") + headers(1, {{"x-sum", "1"}}),
       "0\r\nx-sum: 1\r\n\r\n"},
      {"a body behind GOAWAY", goaway + head + data(200), "x\r\n0\r\n\r\n"},
      {"a body before GOAWAY", head + data(200) + goaway, "x\r\n0\r\n\r\n"},
  };
}

using Close = void (*)(TestPeer&);

struct Closing {
  const char* what;
  Close close;
};
const Closing kClosings[] = {
    {"finished", [](TestPeer& app) { app.finish(); }},
    {"closed", [](TestPeer& app) { app.close(); }},
};

/// The app's connection, on which the request has come.
TestPeer asked(ProxyWorld& world) {
  TestPeer app = world.accept();
  EXPECT_TRUE(app.say(frame(test::kSettings, 0, 0)));
  EXPECT_TRUE(world.until([&] {
    app.listen();
    return app.received().size() > http2::kPreface.size() && [&] {
      for (const Frame& each : frames_of(app.received().substr(http2::kPreface.size()))) {
        if (each.type == test::kHeaders) return true;
      }
      return false;
    }();
  }));
  return app;
}

TEST(EndOfAnHttp2Upstream, RightBehindAResponseCutsNothingOfIt) {
  for (const Last& last : last_frames()) {
    for (const Closing& closing : kClosings) {
      SCOPED_TRACE(std::string(last.what) + ", " + closing.what);
      ProxyWorld world;
      world.handler.options.version = UpstreamVersion::kHttp2;
      TestPeer caller = world.caller();
      ASSERT_TRUE(caller.say(kGet));
      TestPeer app = asked(world);
      ASSERT_TRUE(app.say(last.frames));
      closing.close(app);
      ASSERT_TRUE(world.until([&] {
        caller.listen();
        return !world.outcomes.empty();
      }));
      caller.listen();
      EXPECT_FALSE(world.outcomes[0].aborted_by);
      EXPECT_TRUE(caller.received().ends_with(last.end)) << caller.received().substr(0, 300);
      EXPECT_TRUE(world.until([&] { return world.handler.pool.open() == 0; }));
    }
  }
}

/// A caller of HTTP/2 that hears a response on stream 1.
class Http2CallerAtTheEnd : public testing::Test {
 protected:
  /// `window`: of each stream.
  explicit Http2CallerAtTheEnd(std::uint32_t window = 65'535) : caller_(world_.caller()) {
    EXPECT_TRUE(caller_.say(std::string(http2::kPreface) +
                            frame(test::kSettings, 0, 0, number(4, 2) + number(window, 4))));
  }
  void stop() {
    http::net::co_spawn(world_.io, world_.server.stop(world_.clock.now() + seconds(30)),
                        [this](const std::exception_ptr&) { is_done_ = true; });
    world_.io.poll();
  }
  /// Once a request has come.
  bool answers(TestPeer& app) {
    const bool has_come = world_.until([&] {
      app.listen();
      return app.take_received().ends_with("\r\n\r\n");
    });
    return has_come && app.say(kOk);
  }
  bool hears(const std::function<bool(const Frame&)>& what) {
    return world_.until([&] {
      caller_.listen();
      return has(what);
    });
  }
  bool has(const std::function<bool(const Frame&)>& what) const {
    const std::vector<Frame> all = frames_of(caller_.received());
    return std::any_of(all.begin(), all.end(), what);
  }
  static bool ends(const Frame& frame) {
    return frame.stream == 1 && frame.type == test::kData && frame.flags == test::kEndStream;
  }
  static bool is_goaway(const Frame& frame) { return frame.type == test::kGoaway; }
  static bool is_reset(const Frame& frame) { return frame.type == test::kRstStream; }
  static bool is_ping(const Frame& frame) { return frame.type == test::kPing; }

  ProxyWorld world_;
  TestPeer caller_;
  bool is_done_ = false;
};

class SlowHttp2CallerAtTheEnd : public Http2CallerAtTheEnd {
 protected:
  SlowHttp2CallerAtTheEnd() : Http2CallerAtTheEnd(1) {}
};

const std::string kPing = frame(test::kPing, test::kAck, 0, number(0, 8));

TEST_F(SlowHttp2CallerAtTheEnd, HearsTheWholeOfItsResponse) {
  ASSERT_TRUE(caller_.say(headers(1, test::kGetFields)));
  TestPeer app = world_.accept();
  stop();
  ASSERT_TRUE(hears(is_ping));
  ASSERT_TRUE(caller_.say(kPing));
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world_.until([&] { return world_.server.counters().in_flight == 0; }));
  for (int i = 0; i < 20; ++i) {
    world_.pass(seconds(1));
    world_.io.poll();
  }
  EXPECT_FALSE(is_done_);
  ASSERT_TRUE(caller_.say(frame(test::kWindowUpdate, 0, 1, number(10, 4))));
  EXPECT_TRUE(hears(ends));
  EXPECT_FALSE(has(is_reset));
  caller_.close();
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
}

TEST_F(SlowHttp2CallerAtTheEnd, IsCutAtTheDeadline) {
  ASSERT_TRUE(caller_.say(headers(1, test::kGetFields)));
  TestPeer app = world_.accept();
  ASSERT_TRUE(app.say(kOk));
  ASSERT_TRUE(world_.until([&] { return world_.server.counters().in_flight == 0; }));
  stop();
  ASSERT_TRUE(world_.until([&] {
    world_.pass(milliseconds(250));
    return is_done_;
  }));
  EXPECT_TRUE(world_.hears_end(caller_));
  EXPECT_FALSE(has(ends));
}

TEST_F(Http2CallerAtTheEnd, ThatAnswersLateMaySendRequestsUntilThen) {
  ASSERT_TRUE(caller_.say(headers(1, test::kGetFields)));
  TestPeer app = world_.accept();
  ASSERT_TRUE(answers(app));
  ASSERT_TRUE(hears(ends));
  stop();
  ASSERT_TRUE(hears(is_ping));
  world_.pass(milliseconds(600));
  world_.io.poll();
  world_.pass(milliseconds(300));
  world_.io.poll();
  EXPECT_FALSE(is_done_);
  ASSERT_TRUE(caller_.say(headers(3, test::kGetFields)));
  ASSERT_TRUE(answers(app)) << "GOAWAY takes all streams until the caller knows of it";
  ASSERT_TRUE(hears([](const Frame& frame) {
    return frame.stream == 3 && frame.type == test::kData && frame.flags == test::kEndStream;
  }));
  caller_.close();
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
}

TEST_F(Http2CallerAtTheEnd, ThatDoesNotEndAFieldBlockDelaysItBySeconds) {
  ASSERT_TRUE(caller_.say(frame(test::kHeaders, test::kEndStream, 1, "\x82")));
  ASSERT_TRUE(hears([](const Frame& frame) { return frame.type == test::kSettings; }));
  stop();
  ASSERT_TRUE(hears(is_goaway));
  for (int i = 0; i < 10; ++i) {
    world_.pass(milliseconds(250));
    world_.io.poll();
  }
  EXPECT_TRUE(world_.until([&] { return is_done_; }));
}

}  // namespace
}  // namespace bellows::proxy
