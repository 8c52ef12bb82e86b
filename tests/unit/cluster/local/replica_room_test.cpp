#include "cluster/local/replica_room.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace bellows::cluster {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

TEST(ReplicaRoom, OfThousandDescriptorsIsForFiftySixReplicas) {
  const RevisionId web("web");
  EXPECT_TRUE(check_room(web, 1024, 0));
  EXPECT_TRUE(check_room(web, 1024, 55 * kDescriptorsPerReplica));
  const auto full = check_room(web, 1024, 56 * kDescriptorsPerReplica);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind(), ErrorKind::kOverloaded);
  EXPECT_EQ(
      to_string(full.error()),
      "another replica of service web: does not fit: replicas take 672 of 1024 open files, 12 "
      "each, and 256 are kept for 128 callers; want a higher hard limit of open files (ulimit "
      "-Hn, LimitNOFILE), or a max-scale of at most 56 for all services together");
}

TEST(ReplicaRoom, IsNoneWithTooFewDescriptorsAndEnoughWithoutALimit) {
  EXPECT_FALSE(check_room(RevisionId("web"), 40, 0));
  EXPECT_TRUE(check_room(RevisionId("web"), kNoLimit, 100'000));
}

TEST(ReplicaRoom, TheLimitForSomeReplicasIsTheSmallestThatHasRoomForThem) {
  for (const std::size_t replicas : {0U, 1U, 8U, 56U, 57U, 60U, 1'000U, 24'000U}) {
    const std::size_t limit = descriptors_for(replicas);
    EXPECT_GE(room_for_replicas(limit), replicas);
    if (replicas == 0) continue;
    EXPECT_LT(room_for_replicas(limit - 1), replicas) << replicas;
  }
}

TEST(ReplicaRoom, ExpectsMaxScaleOfAllServicesAsFarAsThereIsRoom) {
  const auto most = [](const std::vector<PodCount>& max_scales, std::size_t limit) {
    std::vector<ReplicaBounds> services;
    for (const PodCount each : max_scales) services.push_back({RevisionId("web"), 0, each});
    return most_descriptors(services, limit) / kDescriptorsPerReplica;
  };
  EXPECT_EQ(most({}, 1024), 0U);
  EXPECT_EQ(most({3, 4}, 1024), 7U);
  EXPECT_EQ(most({30, 40}, 1024), 56U);
  EXPECT_EQ(most({0}, 1024), 56U) << "without max-scale";
  EXPECT_EQ(most({0}, kNoLimit), 1'000U);
  EXPECT_EQ(most({2'000}, kNoLimit), 2'000U);
}

struct BoundsCase {
  const char* name;
  std::vector<ReplicaBounds> services;
  std::size_t limit;
  const char* error;  ///< "": they fit
};

class ReplicaBoundsOf : public testing::TestWithParam<BoundsCase> {};

TEST_P(ReplicaBoundsOf, FitOrAreRefusedWithTheNumbers) {
  const auto fits = check_bounds(GetParam().services, GetParam().limit);
  EXPECT_EQ(fits ? "" : to_string(fits.error()), GetParam().error);
}

const RevisionId kWeb("web");
const RevisionId kShop("shop");

INSTANTIATE_TEST_SUITE_P(
    All, ReplicaBoundsOf,
    testing::Values(
        BoundsCase{"NoService", {}, 40, ""},
        BoundsCase{"AsManyAsThereIsRoomFor", {{kWeb, 56, 56}}, 1024, ""},
        BoundsCase{"MoreThanThereIsRoomFor",
                   {{kWeb, 0, 60}},
                   1024,
                   "service web: max-scale 60 needs 1081 open files (12 a replica, a quarter for "
                   "callers), and the limit is 1024; want `ulimit -n 1081` (LimitNOFILE) or more, "
                   "or max-scale at most 56"},
        BoundsCase{"TogetherMoreButNotAlways", {{kWeb, 1, 56}, {kShop, 1, 56}}, 1024, ""},
        BoundsCase{"TogetherMoreAlways",
                   {{kWeb, 30, 56}, {kShop, 30, 0}},
                   1024,
                   "all services together: min-scale 60 needs 1081 open files (12 a replica, a "
                   "quarter for callers), and the limit is 1024; want `ulimit -n 1081` "
                   "(LimitNOFILE) or more, or min-scale at most 56"},
        BoundsCase{"Unbounded", {{kWeb, 0, 0}}, 256, ""},
        BoundsCase{"NoLimit", {{kWeb, 1'000'000, 1'000'000}}, kNoLimit, ""}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace bellows::cluster
