// Responses that end with the connection of the app.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using test::TestPeer;

TEST(UntilClose, AResponseComesInChunksAndTheCallersConnectionIsKept) {
  struct Case {
    std::string answer;
    std::string relayed;
  };
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::vector<Case> cases = {
      {"HTTP/1.0 200 OK\r\n\r\nall", chunked + "3\r\nall\r\n0\r\n\r\n"},
      {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall", chunked + "3\r\nall\r\n0\r\n\r\n"},
      {"HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n", chunked + "0\r\n\r\n"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
       "3\r\nall\r\n0\r\n\r\n",
       chunked + "3\r\nall\r\n0\r\n\r\n"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nall",
       "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nall"},
  };
  ProxyWorld world;
  TestPeer caller = world.caller();
  for (const Case& row : cases) {
    ASSERT_TRUE(caller.say(kGet));
    TestPeer app = world.accept();
    ASSERT_TRUE(world.hears(app, kGet));
    ASSERT_TRUE(app.say(row.answer));
    app.close();
    EXPECT_TRUE(world.hears(caller, row.relayed)) << row.answer << "\n" << caller.received();
    caller.take_received();
  }
  EXPECT_EQ(world.server.counters().connections, 1U);
}

TEST(UntilClose, AResponseEndsTheConnectionOfAnHttp10Caller) {
  ProxyWorld world;
  const std::string old = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(old));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, old));
  ASSERT_TRUE(app.say("HTTP/1.0 200 OK\r\n\r\nall"));
  app.close();
  EXPECT_TRUE(world.hears(caller, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall"));
  EXPECT_TRUE(world.hears_end(caller));
  EXPECT_FALSE(caller.was_reset());
}

TEST(UntilClose, AResponseThatIsResetLacksItsLastChunkAndResetsDownstream) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  ASSERT_TRUE(app.say("HTTP/1.1 200 OK\r\n\r\npart"));
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return caller.received().ends_with("4\r\npart\r\n");
  }));
  app.reset();
  ASSERT_TRUE(world.hears_end(caller));
  EXPECT_TRUE(caller.was_reset());
  EXPECT_TRUE(caller.received().ends_with("4\r\npart\r\n")) << "without the last chunk";
}

TEST(UntilClose, AResponseOfADrainingServerEndsTheConnection) {
  ProxyWorld world;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, kGet));
  world.server.start_draining();
  ASSERT_TRUE(app.say("HTTP/1.0 200 OK\r\n\r\nall"));
  app.close();
  EXPECT_TRUE(world.hears(caller,
                          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
                          "\r\n3\r\nall\r\n0\r\n\r\n"));
  EXPECT_TRUE(world.hears_end(caller));
  EXPECT_FALSE(caller.was_reset());
}

}  // namespace
}  // namespace bellows::proxy
