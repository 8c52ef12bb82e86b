#include "autoscaler/core/activator_names.hpp"

#include <gtest/gtest.h>

namespace bellows::autoscaler {
namespace {

constexpr TimePoint kStart{std::chrono::hours(24)};
const PodName kName("activator");

TEST(ActivatorNamesOfOne, AreItsOwnThroughItsRestarts) {
  ActivatorNames names;
  for (std::uint64_t boot = 1; boot <= 5; ++boot) {
    EXPECT_FALSE(names.are_two(kName, boot, kStart));
    EXPECT_FALSE(names.are_two(kName, boot, kStart));
  }
}

TEST(ActivatorNamesOfTwo, AreToldOnceWhenBothAreHeardInTurn) {
  ActivatorNames names;
  EXPECT_FALSE(names.are_two(kName, 1, kStart));
  EXPECT_FALSE(names.are_two(kName, 2, kStart)) << "the first one may have ended";
  EXPECT_TRUE(names.are_two(kName, 1, kStart));
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_FALSE(names.are_two(kName, i % 3, kStart));
}

TEST(ActivatorNamesOfMany, AreToldOnceWhenOneIsHeardASecondTimeAfterAllOthers) {
  for (const std::uint64_t count : {3U, 8U}) {
    ActivatorNames names;
    for (std::uint64_t boot = 1; boot <= count; ++boot) {
      EXPECT_FALSE(names.are_two(kName, boot, kStart));
    }
    EXPECT_TRUE(names.are_two(kName, 1, kStart)) << count;
    for (std::uint64_t i = 0; i < 10; ++i) EXPECT_FALSE(names.are_two(kName, i % 3, kStart));
  }
}

TEST(ActivatorNamesOfTwo, MayBeDifferentAtTheSameTime) {
  ActivatorNames names;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(names.are_two(PodName("activator-0"), 1, kStart));
    EXPECT_FALSE(names.are_two(PodName("activator-1"), 2, kStart));
  }
}

TEST(ActivatorNames, ThatNobodyUsesAreForgotten) {
  ActivatorNames names;
  names.are_two(kName, 1, kStart);
  names.are_two(kName, 2, kStart);
  const TimePoint later = kStart + ActivatorNames::kForgottenAfter + std::chrono::seconds(1);
  names.are_two(PodName("another"), 7, later);
  EXPECT_FALSE(names.are_two(kName, 1, later)) << "nothing is known of it";
}

}  // namespace
}  // namespace bellows::autoscaler
