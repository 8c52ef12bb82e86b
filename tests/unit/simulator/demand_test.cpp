#include "simulator/demand.hpp"

#include <gtest/gtest.h>

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;
using config::Metric;
using config::RevisionSettings;

/// Ten requests of 3 s arrive together; ten more follow, one per second.
LoadProfile profiled() {
  Workload workload;
  workload.traffic.length = 1min;
  workload.traffic.events.assign(10, {.at = 0s, .service = 3s});
  for (int second = 10; second < 20; ++second) {
    workload.traffic.events.push_back({.at = std::chrono::seconds(second), .service = 500ms});
  }
  return profile_load(workload);
}

RevisionSettings settings_with(std::int32_t limit, std::optional<double> target, Metric metric) {
  RevisionSettings settings;
  settings.container_concurrency = limit;
  settings.target = target;
  settings.metric = metric;
  return settings;
}

TEST(Demand, IsMeasuredInSlotsOfTheLimitForAnyTargetAndMetric) {
  const LoadProfile profile = profiled();
  for (const RevisionSettings& settings :
       {settings_with(5, std::nullopt, Metric::kConcurrency),
        settings_with(5, 2, Metric::kConcurrency), settings_with(5, 200, Metric::kRps)}) {
    const Demand demand(profile, {}, settings);
    EXPECT_EQ(demand.full_by(), FullBy::kLimit);
    EXPECT_EQ(demand.size(), 5);
    EXPECT_EQ(demand.max(0), 2);
    EXPECT_DOUBLE_EQ(demand.mean(0), 2);
    EXPECT_DOUBLE_EQ(demand.filled_by(12, 0), 2.4);
    EXPECT_DOUBLE_EQ(demand.replica_seconds(), (30 + 5) / 5.0);
  }
}

TEST(Demand, WithoutALimitIsMeasuredByTheTarget) {
  const LoadProfile profile = profiled();
  const Demand demand(profile, {}, settings_with(0, 4, Metric::kConcurrency));
  EXPECT_EQ(demand.full_by(), FullBy::kTarget);
  EXPECT_EQ(demand.size(), 4);
  EXPECT_EQ(demand.max(2), 3);
  EXPECT_DOUBLE_EQ(demand.replica_seconds(), (30 + 5) / 4.0);
}

TEST(Demand, WithoutALimitAndWithMetricRpsIsMeasuredByTheRate) {
  const LoadProfile profile = profiled();
  const Demand demand(profile, {}, settings_with(0, 4, Metric::kRps));
  EXPECT_EQ(demand.full_by(), FullBy::kRate);
  EXPECT_EQ(demand.max(0), 3);
  EXPECT_EQ(demand.max(1), 0);  // those at work are no new requests
  EXPECT_DOUBLE_EQ(demand.mean(0), 2.5);
  EXPECT_DOUBLE_EQ(demand.filled_by(1000, 10), 0.25);
  EXPECT_DOUBLE_EQ(demand.replica_seconds(), 20 / 4.0);
}

TEST(Demand, IsMeasuredInWorkersIfTheyAreFewer) {
  const LoadProfile profile = profiled();
  AppModel app;
  app.workers = 2;
  EXPECT_EQ(Demand(profile, app, settings_with(5, 3, Metric::kConcurrency)).size(), 2);
  EXPECT_EQ(Demand(profile, app, settings_with(1, 3, Metric::kConcurrency)).size(), 1);
  const Demand without_limit(profile, app, settings_with(0, 3, Metric::kRps));
  EXPECT_EQ(without_limit.size(), 2);
  EXPECT_EQ(without_limit.full_by(), FullBy::kLimit);
}

TEST(Demand, IsTheLoadOfTheCoresIfTheyAreFullFirst) {
  // Ten requests arrive together and need 600 ms of CPU each: on two cores ten times 300 ms.
  Workload workload;
  workload.traffic.length = 1min;
  workload.traffic.events.assign(10, {.at = 5s, .service = 1s});
  workload.app.cpu = 600ms;
  workload.app.cores = 2;
  const LoadProfile profile = profile_load(workload);
  const Demand demand(profile, workload.app, settings_with(5, std::nullopt, Metric::kConcurrency));
  EXPECT_DOUBLE_EQ(demand.mean(5), 3);  // 2 by slots
  EXPECT_EQ(demand.max(5), 10);         // so that no two requests share a core
  EXPECT_EQ(demand.max(6), 2);
  EXPECT_DOUBLE_EQ(demand.replica_seconds(), 3);
}

TEST(Demand, EndsWithTheTrace) {
  const LoadProfile profile = profiled();
  const Demand demand(profile, {}, settings_with(5, std::nullopt, Metric::kConcurrency));
  EXPECT_EQ(demand.seconds(), 60U);
  EXPECT_EQ(demand.mean(60), 0);
}

TEST(CapacityText, NamesTheUnit) {
  EXPECT_EQ(capacity_text(FullBy::kLimit, 10), "10 slots per replica");
  EXPECT_EQ(capacity_text(FullBy::kLimit, 1), "1 slot per replica");
  EXPECT_EQ(capacity_text(FullBy::kTarget, 2.5), "2.5 requests per replica (the target; no limit)");
  EXPECT_EQ(capacity_text(FullBy::kRate, 200),
            "200 requests per second per replica (the target; no limit)");
}

}  // namespace
}  // namespace bellows::simulator
