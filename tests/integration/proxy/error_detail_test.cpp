// What a caller reads of a failure, and where the rest is.
#include <gtest/gtest.h>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using test::TestPeer;

TEST(ErrorDetail, IsInTheLogUnderTheIdThatTheCallerGets) {
  ProxyWorld world({.slots = 100, .queue = {.count = 100}}, ProxyServerOptions{});
  world.handler.options.downstream = Peer::kOutside;
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say("POST /a?key=1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine-1\r\n\r\n"));
  TestPeer app = world.accept();
  app.reset();
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return caller.received().ends_with("; request mine-1\n");
  }));
  EXPECT_NE(caller.received().find("X-Request-Id: mine-1\r\n"), std::string::npos);
  EXPECT_EQ(caller.received().find("app"), std::string::npos) << caller.received();
  const auto found = world.server.replies().find("mine-1");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->status, 502);
  EXPECT_EQ(found[0]->path, "/a") << "a query may have secrets";
  EXPECT_NE(found[0]->detail.find("app: closed before it responded"), std::string::npos);
}

TEST(ErrorDetail, OfACallerWithoutAnIdIsFoundByTheOneThatWasMade) {
  ProxyWorld world({.slots = 100, .queue = {.count = 100}}, ProxyServerOptions{});
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say("POST /a HTTP/1.1\r\nHost: a\r\nX-Request-Id: a b\r\n\r\n"));
  world.accept().reset();
  ASSERT_TRUE(world.until([&] {
    caller.listen();
    return caller.received().ends_with("\n");
  }));
  constexpr std::size_t kDigits = 16;
  const std::string& text = caller.received();
  const std::string id = text.substr(text.size() - 1 - kDigits, kDigits);
  EXPECT_EQ(world.server.replies().find(id).size(), 1U) << text;
  EXPECT_TRUE(world.server.replies().find("a b").empty());
}

}  // namespace
}  // namespace bellows::proxy
