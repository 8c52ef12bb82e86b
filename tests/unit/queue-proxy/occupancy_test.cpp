#include "queue-proxy/core/occupancy.hpp"

#include <gtest/gtest.h>

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kBegin{100s};

TEST(OccupancyOfAReplica, IsWhatItSaidLast) {
  Occupancy occupancy;
  EXPECT_FALSE(occupancy.is_occupied(kBegin));
  occupancy.say(true);
  EXPECT_TRUE(occupancy.is_occupied(kBegin + 24h));
  occupancy.say(false);
  EXPECT_FALSE(occupancy.is_occupied(kBegin));
}

TEST(OccupancyOfAReplica, ALeaseEndsByItself) {
  Occupancy occupancy;
  occupancy.lease(30s, kBegin);
  EXPECT_TRUE(occupancy.is_occupied(kBegin + 30s - 1ms));
  EXPECT_FALSE(occupancy.is_occupied(kBegin + 30s));
}

TEST(OccupancyOfAReplica, AShorterLeaseDoesNotCutALongerOne) {
  Occupancy occupancy;
  occupancy.lease(60s, kBegin);
  occupancy.lease(10s, kBegin + 5s);
  EXPECT_TRUE(occupancy.is_occupied(kBegin + 59s));
  occupancy.lease(60s, kBegin + 30s);
  EXPECT_TRUE(occupancy.is_occupied(kBegin + 89s)) << "a later one renews it";
}

TEST(OccupancyOfAReplica, ReadyEndsALease) {
  Occupancy occupancy;
  occupancy.lease(60s, kBegin);
  occupancy.say(false);
  EXPECT_FALSE(occupancy.is_occupied(kBegin + 1s));
}

TEST(OccupancyOfAReplica, TheEndOfALeaseLeavesWhatWasSaid) {
  Occupancy occupancy;
  occupancy.say(true);
  occupancy.lease(1s, kBegin);
  EXPECT_TRUE(occupancy.is_occupied(kBegin + 2s));
}

TEST(OccupancyOfAReplica, ATunnelOccupiesItButIsNoClaim) {
  Occupancy occupancy;
  occupancy.tunnel_opened();
  EXPECT_TRUE(occupancy.is_occupied(kBegin));
  EXPECT_FALSE(occupancy.is_claimed(kBegin)) << "its drain counts tunnels by itself";
  occupancy.tunnel_closed();
  EXPECT_FALSE(occupancy.is_occupied(kBegin));
}

TEST(OccupancyOfAReplica, AnAppThatWasRestartedHasSaidNothing) {
  Occupancy occupancy;
  occupancy.say(true);
  occupancy.lease(60s, kBegin);
  occupancy.count({3, 10});
  occupancy.app_restarted();
  EXPECT_FALSE(occupancy.is_occupied(kBegin));
  EXPECT_EQ(occupancy.counter(), std::nullopt);
}

}  // namespace
}  // namespace bellows::queue_proxy
