// The end of an upstream's connection of HTTP/2: responses that are whole arrive whole.
#include <gtest/gtest.h>

#include "http/h2/core/preface.hpp"
#include "tests/integration/h2/frames.hpp"
#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

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

}  // namespace
}  // namespace bellows::proxy
