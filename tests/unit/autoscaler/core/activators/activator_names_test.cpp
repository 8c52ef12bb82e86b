#include "autoscaler/core/activators/activator_names.hpp"

#include <gtest/gtest.h>

namespace bellows::autoscaler {
namespace {

constexpr TimePoint kStart{std::chrono::hours(24)};
const PodName kName("activator");

TEST(ActivatorNamesOfOne, AreItsOwnThroughItsRestarts) {
  ActivatorNames names;
  for (std::uint64_t boot = 1; boot <= 5; ++boot) {
    EXPECT_FALSE(names.is_duplicate(kName, boot, kStart));
    EXPECT_FALSE(names.is_duplicate(kName, boot, kStart));
  }
}

TEST(ActivatorNamesOfTwo, AreReportedOnceWhenBothReportInTurn) {
  ActivatorNames names;
  EXPECT_FALSE(names.is_duplicate(kName, 1, kStart));
  EXPECT_FALSE(names.is_duplicate(kName, 2, kStart)) << "the first one may have ended";
  EXPECT_TRUE(names.is_duplicate(kName, 1, kStart));
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_FALSE(names.is_duplicate(kName, i % 3, kStart));
}

TEST(ActivatorNamesOfMany, AreReportedOnceWhenOneReportsASecondTimeAfterAllOthers) {
  for (const std::uint64_t count : {3U, 8U}) {
    ActivatorNames names;
    for (std::uint64_t boot = 1; boot <= count; ++boot) {
      EXPECT_FALSE(names.is_duplicate(kName, boot, kStart));
    }
    EXPECT_TRUE(names.is_duplicate(kName, 1, kStart)) << count;
    for (std::uint64_t i = 0; i < 10; ++i) EXPECT_FALSE(names.is_duplicate(kName, i % 3, kStart));
  }
}

TEST(ActivatorNamesOfTwo, MayBeDifferentAtTheSameTime) {
  ActivatorNames names;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(names.is_duplicate(PodName("activator-0"), 1, kStart));
    EXPECT_FALSE(names.is_duplicate(PodName("activator-1"), 2, kStart));
  }
}

TEST(ActivatorNames, WithoutReportsAreForgotten) {
  ActivatorNames names;
  names.is_duplicate(kName, 1, kStart);
  names.is_duplicate(kName, 2, kStart);
  const TimePoint later = kStart + ActivatorNames::kForgottenAfter + std::chrono::seconds(1);
  names.is_duplicate(PodName("another"), 7, later);
  EXPECT_FALSE(names.is_duplicate(kName, 1, later)) << "nothing is known of it";
}

}  // namespace
}  // namespace bellows::autoscaler
