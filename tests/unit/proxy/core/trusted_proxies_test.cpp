#include "proxy/core/trusted_proxies.hpp"

#include <gtest/gtest.h>

namespace bellows::proxy {
namespace {

bool trusts(std::string_view list, std::string_view client) {
  return TrustedProxies(list).has(parse_ip_address(client).value());
}

TEST(TrustedProxies, ArePrivateNetworksUnlessASettingSaysOthers) {
  EXPECT_TRUE(trusts("private", "10.1.2.3"));
  EXPECT_FALSE(trusts("private", "203.0.113.7"));
  EXPECT_TRUE(trusts("203.0.113.0/24, ::1", "203.0.113.7"));
  EXPECT_FALSE(trusts("203.0.113.0/24, ::1", "127.0.0.1"));
  EXPECT_TRUE(trusts("private, 203.0.113.7", "203.0.113.7"));
  EXPECT_FALSE(trusts("none", "127.0.0.1"));
}

TEST(TrustedProxies, IncludeTheClientsOfAUnixSocket) {
  EXPECT_TRUE(TrustedProxies("none").has(std::nullopt));
}

}  // namespace
}  // namespace bellows::proxy
