#include <gtest/gtest.h>

#include "config/recommender_settings.hpp"

namespace bellows::config {
namespace {

TEST(RecommenderMinimum, IsVpasUnlessItIsSet) {
  const RecommenderSettings settings;
  EXPECT_EQ(settings.min_cpu(), 25);
  EXPECT_EQ(settings.min_memory(), 250);
}

TEST(RecommenderMinimum, OfProcessesIsSmallerThanOfPods) {
  RecommenderSettings settings;
  settings.use_minimum_of_processes();
  EXPECT_EQ(settings.min_cpu(), 5);
  EXPECT_EQ(settings.min_memory(), 8);
}

TEST(RecommenderMinimum, OfProcessesIsWhatTheUserSets) {
  RecommenderSettings settings;
  settings.min_memory_mebibytes = 64;
  settings.use_minimum_of_processes();
  EXPECT_EQ(settings.min_cpu(), 5);
  EXPECT_EQ(settings.min_memory(), 64);
}

TEST(RecommenderMinimum, PolicyVpaKeepsVpas) {
  RecommenderSettings settings;
  settings.policy = RecommenderPolicy::kVpa;
  settings.use_minimum_of_processes();
  EXPECT_EQ(settings.min_memory(), 250);
}

}  // namespace
}  // namespace bellows::config
