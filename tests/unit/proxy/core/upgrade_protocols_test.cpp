#include "proxy/core/upgrade_protocols.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace bellows::proxy {
namespace {

bool passes(const std::string& lines, const UpgradeProtocols& protocols = UpgradeProtocols()) {
  const std::string text = "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n" + lines + "\r\n";
  http::HeadParser parser;
  const auto head = std::make_unique<http::RequestHead>();
  EXPECT_TRUE(parser.read(text, *head).is_complete()) << lines;
  return protocols.allow(*head);
}

TEST(UpgradeProtocols, AreWebSocketsUnlessASettingSaysMore) {
  EXPECT_TRUE(passes("Upgrade: websocket\r\n"));
  EXPECT_TRUE(passes("upgrade:  WebSocket \r\n"));
  EXPECT_FALSE(passes("Upgrade: IRC/6.9\r\n"));
  EXPECT_TRUE(passes("Upgrade: IRC/6.9\r\n", UpgradeProtocols("websocket, IRC/6.9")));
  EXPECT_FALSE(passes("Upgrade: websocket\r\n", UpgradeProtocols("")));
}

TEST(UpgradeProtocols, NoSpellingOfHttp2IsForwarded) {
  for (const char* protocol : {"h2c", "H2C", "h2c;x=1", "h2c/1", "\"h2c\"", "h2c-14", "HTTP/2.0",
                               "TLS/1.0", "websocket, h2c", "h2c,websocket", "websocket/h2c"}) {
    EXPECT_FALSE(passes("Upgrade: " + std::string(protocol) + "\r\n")) << protocol;
  }
  EXPECT_FALSE(passes("Upgrade: websocket\r\nUpgrade: h2c\r\n")) << "in any line";
}

TEST(UpgradeProtocols, ARequestThatAsksForNothingIsOrdinary) {
  EXPECT_FALSE(passes(""));
  EXPECT_FALSE(passes("Upgrade: ,\r\n"));
}

}  // namespace
}  // namespace bellows::proxy
