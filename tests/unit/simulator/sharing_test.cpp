#include "simulator/sharing.hpp"

#include <gtest/gtest.h>

#include "simulator/replica.hpp"
#include "simulator/simulation.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

TEST(Sharing, TheSpeedFollowsTheLaw) {
  const Sharing cores{.cores_are_shared = true};
  EXPECT_DOUBLE_EQ(cores.speed(2, 4, 1h, 1h), 1);
  EXPECT_DOUBLE_EQ(cores.speed(8, 4, 1h, 1h), 0.5);
  const Sharing law{.contention = 0.1, .crosstalk = 0.01};
  EXPECT_DOUBLE_EQ(law.speed(5, 1, 1h, 1h), 1 / (1 + 0.4 + 0.2));
  const Sharing cold{.warm_up = 60s, .cold_factor = 4};
  EXPECT_DOUBLE_EQ(cold.speed(1, 1, 0s, 1h), 0.25);
  EXPECT_DOUBLE_EQ(cold.speed(1, 1, 30s, 1h), 0.625);
  EXPECT_DOUBLE_EQ(cold.speed(1, 1, 60s, 1h), 1);
  const Sharing change{.change_at = 1h, .change_factor = 2};
  EXPECT_DOUBLE_EQ(change.speed(1, 1, 1h, 59min), 1);
  EXPECT_DOUBLE_EQ(change.speed(1, 1, 1h, 1h), 0.5);
  const Sharing noise{.noise_every = 60s, .noise_for = 6s, .noise_factor = 4};
  EXPECT_DOUBLE_EQ(noise.speed(1, 1, 1h, 53s), 1);
  EXPECT_DOUBLE_EQ(noise.speed(1, 1, 1h, 54s), 0.25);
  EXPECT_DOUBLE_EQ(noise.speed(1, 1, 1h, 60s), 1);
}

TEST(SharedWork, TwoRequestsThatShareEndLaterThanOneAlone) {
  std::vector<Request*> settled;
  Request first(settled);
  Request second(settled);
  SharedWork work;
  work.add(first, 1s, TimePoint(0s));
  EXPECT_EQ(work.next(TimePoint(0s))->second, TimePoint(1s));
  work.set_speed(0.5, TimePoint(500ms));
  work.add(second, 1s, TimePoint(500ms));
  const auto next = work.next(TimePoint(500ms));
  EXPECT_EQ(next->first, &first);
  EXPECT_EQ(next->second, TimePoint(1500ms));
  EXPECT_FALSE(work.is_done(first, TimePoint(1400ms)));
  EXPECT_TRUE(work.is_done(first, TimePoint(1500ms)));
  work.remove(first, TimePoint(1500ms));
  work.set_speed(1, TimePoint(1500ms));
  EXPECT_EQ(work.next(TimePoint(1500ms))->second, TimePoint(2s));
  EXPECT_DOUBLE_EQ(work.take_done(TimePoint(2s)), 2);
}

TEST(SharedWork, NothingProgressesDuringAPause) {
  std::vector<Request*> settled;
  Request request(settled);
  SharedWork work;
  work.add(request, 1s, TimePoint(0s));
  work.pause_until(TimePoint(3s), TimePoint(400ms));
  EXPECT_EQ(work.next(TimePoint(1s))->second, TimePoint(3600ms));
  work.remove(request, TimePoint(3600ms));
}

Outcome outcome_of(std::string_view app, double per_second, PodCount replicas) {
  Workload workload;
  workload.app = *parse_app_model(app);
  workload.traffic.per_minute.assign(20, static_cast<std::uint32_t>(60 * per_second));
  workload.traffic.length = 20min;
  workload.warm_up = 2min;
  config::RevisionSettings settings;
  settings.min_scale = settings.max_scale = settings.initial_scale = replicas;
  settings.request_timeout = Duration::zero();
  settings.drain_timeout = 24h;
  settings.slow_brain.latency_goal = "p95 < 400ms";
  return simulate(workload, profile_load(workload), settings);
}

const std::string kService = ",start=1s,service=100ms";

TEST(SharingApps, AQueueWithProcessorSharingHasItsKnownMeanTime) {
  // M/D/1 with processor sharing: the mean time is S / (1 - rho), here 100 ms / (1 - 0.6).
  const Outcome outcome = outcome_of("ps,cores=1" + kService, 6, 1);
  EXPECT_EQ(outcome.served, outcome.arrivals);
  EXPECT_NEAR(to_seconds(outcome.p50_response), 0.2, 0.05);
  EXPECT_GT(to_seconds(outcome.p95_response), 0.4);
}

TEST(SharingApps, MoreReplicasDoNotHelpIfTheBottleneckIsShared) {
  const Outcome few = outcome_of("downstream,downstream=1" + kService, 6, 1);
  const Outcome many = outcome_of("downstream,downstream=1" + kService, 6, 8);
  EXPECT_NEAR(to_seconds(many.p95_response) / to_seconds(few.p95_response), 1, 0.05);
  EXPECT_GT(few.seconds_over_goal, 0U);
}

TEST(SharingApps, AnAppBeyondItsMemoryIsKilledAndItsRequestsAreLost) {
  const std::string app = "memory,cores=2,memory=100Mi,memory-per-request=50Mi,memory-limit=400Mi";
  const Outcome killed = outcome_of(app + kService, 25, 1);
  EXPECT_GT(killed.memory_kills, 0U);
  EXPECT_GT(killed.aborted, 0U);
  EXPECT_EQ(killed.arrivals, killed.served + killed.lost());
  EXPECT_EQ(outcome_of(app + kService, 5, 4).memory_kills, 0U);
}

TEST(SharingApps, EveryModelServesEveryRequestAndIsTheSameTwice) {
  for (const std::string app :
       {"ps", "usl", "gc", "downstream", "bimodal", "warm-up", "change,change-at=5m"}) {
    const Outcome outcome = outcome_of(app + kService, 10, 4);
    EXPECT_EQ(outcome.served, outcome.arrivals) << app;
    EXPECT_EQ(outcome, outcome_of(app + kService, 10, 4)) << app;
  }
}

}  // namespace
}  // namespace bellows::simulator
