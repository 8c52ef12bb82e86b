#include "simulator/load_profile.hpp"

#include <gtest/gtest.h>

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

Workload three_requests() {
  Workload workload;
  workload.traffic.length = 1min;
  workload.traffic.events = {
      {.at = 500ms, .service = 2s}, {.at = 1s, .service = 900ms}, {.at = 58s, .service = 10s}};
  return workload;
}

TEST(LoadProfile, HasTheRequestsInServicePerSecond) {
  const LoadProfile found = profile_load(three_requests());
  ASSERT_EQ(found.in_service.max_at_once.size(), 60U);
  EXPECT_EQ(found.in_service.max_at_once[0], 1);
  EXPECT_EQ(found.in_service.max_at_once[1], 2);
  EXPECT_EQ(found.in_service.max_at_once[2], 1);
  EXPECT_EQ(found.in_service.max_at_once[3], 0);
  EXPECT_EQ(found.in_service.max_at_once[59], 1);
  EXPECT_DOUBLE_EQ(found.in_service.mean[0], 0.5);
  EXPECT_DOUBLE_EQ(found.in_service.mean[1], 1.9);
  EXPECT_DOUBLE_EQ(found.in_service.mean[2], 0.5);
  EXPECT_EQ(found.in_service.max, 2);
  EXPECT_EQ(found.arrivals[0], 1U);
  EXPECT_EQ(found.arrivals[1], 1U);
  EXPECT_EQ(found.arrivals[2], 0U);
}

TEST(LoadProfile, CountsServiceOnlyUntilTheEnd) {
  const LoadProfile found = profile_load(three_requests());
  EXPECT_EQ(found.requests, 3U);
  EXPECT_DOUBLE_EQ(found.in_service.seconds, 2 + 0.9 + 2);
  EXPECT_DOUBLE_EQ(found.mean_load(), 4.9 / 60);
}

TEST(LoadProfile, ExcludesTheWarmUp) {
  Workload workload = three_requests();
  workload.warm_up = 10s;
  const LoadProfile found = profile_load(workload);
  EXPECT_EQ(found.requests, 1U);
  EXPECT_DOUBLE_EQ(found.mean_load(), 2.0 / 50);
  EXPECT_EQ(found.in_service.max, 1);
}

TEST(LoadProfile, HasTheExactMaximumAfterTheWarmUp) {
  // In service: two from 1 s to 1.9 s, one until 2.5 s, then none until 58 s.
  for (const auto& [warm_up, max] :
       {std::pair(0ms, 2), std::pair(1000ms, 2), std::pair(1899ms, 2), std::pair(1900ms, 1),
        std::pair(2499ms, 1), std::pair(59'000ms, 1)}) {
    Workload workload = three_requests();
    workload.warm_up = warm_up;
    EXPECT_EQ(profile_load(workload).in_service.max, max) << to_seconds(warm_up);
  }
  Workload workload = three_requests();
  workload.traffic.events.pop_back();
  workload.warm_up = 2500ms;
  EXPECT_EQ(profile_load(workload).in_service.max, 0);
}

}  // namespace
}  // namespace bellows::simulator
