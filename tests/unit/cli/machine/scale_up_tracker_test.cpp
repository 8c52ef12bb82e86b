#include "cli/machine/scale_up_tracker.hpp"

#include <gtest/gtest.h>

namespace bellows::cli {
namespace {

using namespace std::chrono_literals;

/// A service with a stable window of one minute; times are in seconds.
class RiseWatchTest : public testing::Test {
 protected:
  bool rose(int at, PodCount want, const std::string& service = "web") {
    return watch_.scaled_up_recently(RevisionId(service), {want, 60s},
                                     TimePoint() + std::chrono::seconds(at));
  }

  ScaleUpTracker watch_;
};

TEST_F(RiseWatchTest, AnOrderOfMoreCountsForOneStableWindow) {
  EXPECT_FALSE(rose(0, 0));
  EXPECT_TRUE(rose(10, 2));
  EXPECT_TRUE(rose(69, 2));
  EXPECT_FALSE(rose(70, 2));
}

TEST_F(RiseWatchTest, EveryFurtherRiseBeginsAnotherWindow) {
  EXPECT_TRUE(rose(0, 1));
  EXPECT_TRUE(rose(50, 3));
  EXPECT_TRUE(rose(109, 3));
  EXPECT_FALSE(rose(110, 3));
}

TEST_F(RiseWatchTest, AnOrderOfFewerIsNoneAndEndsNone) {
  EXPECT_TRUE(rose(0, 5));
  EXPECT_TRUE(rose(30, 1));
  EXPECT_FALSE(rose(60, 1));
  EXPECT_FALSE(rose(61, 0));
}

TEST_F(RiseWatchTest, ServicesAreWatchedApart) {
  EXPECT_TRUE(rose(0, 1));
  EXPECT_FALSE(rose(1, 0, "shop"));
}

}  // namespace
}  // namespace bellows::cli
