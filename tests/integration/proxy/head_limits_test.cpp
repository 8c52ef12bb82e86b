// Heads that are rejected, and large ones that are not.
#include <gtest/gtest.h>

#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using test::TestPeer;

TEST(RejectedHead, OfAHeadRequestHasNoBody) {  // RFC 9110 9.3.2
  for (const std::string& request :
       {std::string("HEAD / HTTP/1.1\r\n\r\n"),
        "\r\nHEAD /" + std::string(40000, 'a') + " HTTP/1.1\r\n\r\n",
        std::string("HEAD http://a:123456/ HTTP/1.1\r\nHost: a\r\n\r\n")}) {
    ProxyWorld world;
    TestPeer caller = world.caller();
    ASSERT_TRUE(caller.say(request));
    ASSERT_TRUE(world.hears_end(caller));
    EXPECT_TRUE(caller.received().starts_with("HTTP/1.1 4")) << caller.received();
    EXPECT_TRUE(caller.received().ends_with("\r\n\r\n")) << caller.received();
    EXPECT_EQ(caller.received().find("Content-Length: 0"), std::string::npos)
        << "the length that GET would get";
  }
}

TEST(LargeHeads, PassBothWaysUpToTheLimitAndTakeMemoryOnlyThen) {
  ProxyServerOptions options;
  options.error_detail = config::ErrorDetail::kFull;
  options.head = {.fields = 1000, .line = 1024 * 1024, .total = 1024 * 1024};
  ProxyWorld world({.slots = 100, .queue = {.count = 100}}, options);
  const std::string cookie(900'000, 'c');
  std::string lines;
  for (int i = 0; i < 900; ++i) lines += "X-" + std::to_string(i) + ": 1\r\n";
  const std::string request =
      "GET /a HTTP/1.1\r\nHost: a\r\nCookie: " + cookie + "\r\n" + lines + "\r\n";
  const std::string response =
      "HTTP/1.1 200 OK\r\nX-Token: " + cookie + "\r\n" + lines + "Content-Length: 2\r\n\r\nok";
  TestPeer caller = world.caller();
  std::size_t sent = 0;
  const auto pour = [&](TestPeer& from, const std::string& bytes) {
    for (sent = 0; sent < bytes.size();) {
      const std::string piece = bytes.substr(sent, 10'000);
      if (from.say(piece)) sent += piece.size();
      world.io.poll();
    }
  };
  pour(caller, request);
  TestPeer app = world.accept();
  ASSERT_TRUE(world.hears(app, request));
  pour(app, response);
  ASSERT_TRUE(world.hears(caller, response));
  EXPECT_TRUE(world.is_at_rest()) << "and no memory is kept";
}

TEST(LargeHeads, BeyondTheLimitOfASettingNameIt) {
  ProxyServerOptions options;
  options.error_detail = config::ErrorDetail::kFull;
  options.head = {.fields = 10, .line = 2048, .total = 2048};
  options.head_settings = {.fields = "max-header-lines", .bytes = "max-header-bytes"};
  ProxyWorld world({.slots = 100, .queue = {.count = 100}}, options);
  TestPeer caller = world.caller();
  ASSERT_TRUE(caller.say("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(3000, 'x')));
  ASSERT_TRUE(world.hears_end(caller));
  EXPECT_TRUE(caller.received().starts_with("HTTP/1.1 431 ")) << caller.received();
  EXPECT_NE(caller.received().find("max-header-bytes is 2Ki"), std::string::npos);
  TestPeer other = world.caller();
  ASSERT_TRUE(other.say(kGet));
  TestPeer app = world.accept();
  ASSERT_TRUE(app.say("HTTP/1.1 200 OK\r\nX: " + std::string(3000, 'x') + "\r\n\r\n"));
  ASSERT_TRUE(world.until([&] { return other.listen(), !other.received().empty(); }));
  EXPECT_TRUE(other.received().starts_with("HTTP/1.1 502 ")) << other.received();
  EXPECT_NE(other.received().find("max-header-bytes is 2Ki"), std::string::npos);
}

}  // namespace
}  // namespace bellows::proxy
