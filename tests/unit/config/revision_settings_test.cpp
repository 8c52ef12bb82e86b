#include "config/revision_settings.hpp"

#include <gtest/gtest.h>

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

struct TargetCase {
  std::int32_t limit;
  std::optional<double> target;
  double utilization;
  double target_default;
  double effective;
  double total;
};

// knative.md 7.2, cases 36, 37 and 39, and the defaults of 2.1.
TEST(Target, IsTheLimitOrTheTargetTimesUtilization) {
  const std::vector<TargetCase> cases = {
      {12, std::nullopt, 75, 100, 9, 12},
      {0, std::nullopt, 30, 2, 0.6, 2},
      {1, 10, 100, 100, 1, 1},
      {10, 1, 100, 100, 1, 1},
      {0, 500, 100, 100, 500, 500},
      {0, std::nullopt, 70, 100, 70, 100},
      {0, 0.01, 1, 100, 0.01, 0.01},
      {10, 10, 70, 100, 7, 10},
  };
  for (const TargetCase& each : cases) {
    RevisionSettings settings;
    settings.container_concurrency = each.limit;
    settings.target = each.target;
    settings.target_utilization_percentage = each.utilization;
    settings.target_default = each.target_default;
    EXPECT_DOUBLE_EQ(settings.total_target(), each.total) << each.limit;
    EXPECT_DOUBLE_EQ(settings.effective_target(), each.effective) << each.limit;
  }
}

// knative.md 7.2, case 40: without anything, with a target of 1, with 75 %, with a target of 300.
TEST(Target, OfRequestsPerSecondIsSeventyPercentUnderEveryProfile) {
  RevisionSettings settings;
  settings.metric = Metric::kRps;
  settings.profile = Profile::kSeed;
  EXPECT_DOUBLE_EQ(settings.effective_target(), 140);
  EXPECT_DOUBLE_EQ(settings.total_target(), 200);
  settings.target = 1;
  EXPECT_DOUBLE_EQ(settings.effective_target(), 0.7);
  EXPECT_DOUBLE_EQ(settings.total_target(), 1);
  settings.target = std::nullopt;
  settings.target_utilization_percentage = 75;
  EXPECT_DOUBLE_EQ(settings.effective_target(), 150);
  settings.target = 300;
  settings.target_utilization_percentage = std::nullopt;
  EXPECT_DOUBLE_EQ(settings.effective_target(), 210);
  EXPECT_DOUBLE_EQ(settings.total_target(), 300);
}

// knative.md 7.2, case 42; the last two show what rounding does with half a second.
TEST(PanicWindow, IsAShareOfTheWindowInWholeSeconds) {
  struct Case {
    Duration window;
    double percentage;
    Duration panic;
  };
  for (const Case& each : std::vector<Case>{{60s, 10, 6s},
                                            {10s, 10, 1s},
                                            {10min, 10, 60s},
                                            {60s, 50, 30s},
                                            {60s, 51, 31s},
                                            {2s, 1, 1s},
                                            {60s, 7.5, 5s},
                                            {60s, 7.4, 4s}}) {
    RevisionSettings settings;
    settings.window = each.window;
    settings.panic_window_percentage = each.percentage;
    EXPECT_EQ(settings.panic_window(), each.panic) << each.percentage;
  }
}

TEST(DrainTime, IsTheRequestTimeoutUnlessItIsSet) {
  RevisionSettings settings;
  EXPECT_EQ(settings.drain_time(), settings.request_timeout);
  settings.request_timeout = 30min;
  EXPECT_EQ(settings.drain_time(), 30min);
  settings.request_timeout = 0s;
  EXPECT_EQ(settings.drain_time(), 5min);
  settings.drain_timeout = 0s;
  EXPECT_EQ(settings.drain_time(), 0s);
}

}  // namespace
}  // namespace bellows::config
