#include "proxy/core/client_connections.hpp"

#include <gtest/gtest.h>

namespace bellows::proxy {
namespace {

TEST(ClientConnections, EachClientHasItsOwnCount) {
  ClientConnections counts(2);
  EXPECT_TRUE(counts.add("192.0.2.1"));
  EXPECT_TRUE(counts.add("192.0.2.1"));
  EXPECT_FALSE(counts.add("192.0.2.1"));
  EXPECT_TRUE(counts.add("192.0.2.2"));
  counts.remove("192.0.2.1");
  EXPECT_TRUE(counts.add("192.0.2.1"));
}

TEST(ClientConnections, AClientWithoutConnectionsIsForgotten) {
  ClientConnections counts(1);
  EXPECT_TRUE(counts.add("192.0.2.1"));
  EXPECT_FALSE(counts.add("192.0.2.1"));
  EXPECT_EQ(counts.clients(), 1U);
  counts.remove("192.0.2.1");
  EXPECT_EQ(counts.clients(), 0U);
}

TEST(ClientConnections, WithoutALimitNobodyAsks) {
  EXPECT_FALSE(ClientConnections(0).is_limited());
  EXPECT_TRUE(ClientConnections(1).is_limited());
}

}  // namespace
}  // namespace bellows::proxy
