#include "config/websocket_url.hpp"

#include <gtest/gtest.h>

namespace bellows::config {
namespace {

TEST(WebSocketUrl, ReadsHostPortAndPath) {
  const auto url = parse_websocket_url("ws://autoscaler.bellows:8080/v1/stats");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->endpoint.host, "autoscaler.bellows");
  EXPECT_EQ(url->endpoint.port, 8080);
  EXPECT_EQ(url->path, "/v1/stats");
  EXPECT_EQ(to_string(*url), "ws://autoscaler.bellows:8080/v1/stats");
}

TEST(WebSocketUrl, MeansTheStatStreamWithoutAPath) {
  EXPECT_EQ(parse_websocket_url("ws://[::1]:8080")->path, "/v1/stats");
  EXPECT_EQ(to_string(*parse_websocket_url("ws://[::1]:8080")), "ws://[::1]:8080/v1/stats");
}

TEST(WebSocketUrl, RejectsUnusableAddresses) {
  for (const char* text :
       {"", "127.0.0.1:8080", "http://a:1", "wss://a:1/x", "ws://", "ws://a", "ws://:8080/x",
        "ws://a:0/x", "ws://a:65536/x", "ws://unix:/x", "ws://a:1/b c", "ws://a:1/b#c"}) {
    const auto url = parse_websocket_url(text);
    ASSERT_FALSE(url.has_value()) << text;
    EXPECT_EQ(to_string(url.error()),
              "URL \"" + std::string(text) +
                  "\": want ws://HOST:PORT/PATH, as in ws://127.0.0.1:8080/v1/stats");
  }
}

}  // namespace
}  // namespace bellows::config
