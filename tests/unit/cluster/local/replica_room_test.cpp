#include "cluster/local/replica_room.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bellows::cluster {
namespace {

TEST(ReplicaRoom, OfThousandDescriptorsIsForSixtyEightReplicas) {
  const RevisionId web("web");
  EXPECT_TRUE(check_room(web, 1024, 0));
  EXPECT_TRUE(check_room(web, 1024, 67 * kDescriptorsPerReplica));
  const auto full = check_room(web, 1024, 68 * kDescriptorsPerReplica);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind(), ErrorKind::kOverloaded);
  EXPECT_EQ(
      to_string(full.error()),
      "another replica of service web: does not fit: replicas take 680 of 1024 open files, 10 "
      "each, and 256 are kept for callers; want a higher hard limit of open files (ulimit "
      "-Hn, LimitNOFILE), or a max-scale of at most 68 for all services together");
}

TEST(ReplicaRoom, IsNoneWithTooFewDescriptorsAndEnoughWithoutALimit) {
  EXPECT_FALSE(check_room(RevisionId("web"), 40, 0));
  EXPECT_TRUE(check_room(RevisionId("web"), std::numeric_limits<std::size_t>::max(), 100'000));
}

}  // namespace
}  // namespace bellows::cluster
