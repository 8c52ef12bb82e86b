// Tiny traces whose outcome can be calculated by hand.
#include "simulator/simulation.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <tuple>

#include <cmath>
#include "simulator/policy.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;
using config::RevisionSettings;

RevisionSettings from_zero() {
  RevisionSettings settings;
  settings.container_concurrency = 10;
  settings.initial_scale = 0;
  settings.request_timeout = 0s;
  return settings;
}

Workload events(std::vector<Traffic::Event> list, Duration length = 5min) {
  Workload workload;
  workload.traffic.events = std::move(list);
  workload.traffic.length = length;
  workload.app.start = Distribution::fixed(2s);
  return workload;
}

Workload steady(std::uint32_t per_minute, int minutes, std::uint64_t seed = 1) {
  Workload workload;
  workload.traffic.per_minute.assign(static_cast<std::size_t>(minutes), per_minute);
  workload.traffic.length = std::chrono::minutes(minutes);
  workload.seed = seed;
  return workload;
}

Outcome run(const Workload& workload, const RevisionSettings& settings) {
  return simulate(workload, profile_load(workload), settings);
}

TEST(Simulation, ARequestAtZeroReplicasWaitsOnlyForTheStart) {
  const Outcome outcome = run(events({{.at = 10s, .service = 1s}}), from_zero());
  EXPECT_EQ(outcome.served, 1U);
  EXPECT_EQ(outcome.waits.worst, 2s);
  EXPECT_EQ(outcome.cold_starts, 1U);
  EXPECT_EQ(outcome.starts, 1U);
  EXPECT_EQ(outcome.max_replicas, 1);
}

TEST(Simulation, TheLastReplicaStaysForAWindowWhereTheActivatorIsInThePath) {
  RevisionSettings settings = from_zero();
  settings.rules.keep_alive = config::KeepAlive::kWindow;
  const Outcome outcome = run(events({{.at = 10s, .service = 1s}}), settings);
  // Ready at 10 s, busy until 13 s; then a window of 60 s, rounded up to evaluations of 2 s and
  // stats of 1 s.
  EXPECT_GE(outcome.replica_seconds, 3 + 60);
  EXPECT_LE(outcome.replica_seconds, 3 + 60 + 6);
  EXPECT_EQ(outcome.scale_changes, 2U);
}

TEST(Simulation, ARequestAfterScaleToZeroWaitsForAStartAgain) {
  const Outcome outcome =
      run(events({{.at = 10s, .service = 1s}, {.at = 200s, .service = 1s}}), from_zero());
  EXPECT_EQ(outcome.cold_starts, 2U);
  EXPECT_EQ(outcome.waits.worst, 2s);
}

TEST(Simulation, ASecondRequestSoonAfterFindsAWarmReplica) {
  const Outcome outcome =
      run(events({{.at = 10s, .service = 1s}, {.at = 40s, .service = 1s}}), from_zero());
  EXPECT_EQ(outcome.cold_starts, 1U);
  EXPECT_EQ(outcome.waits.waited, 1U);
}

TEST(Simulation, RequestsBeyondTheSlotsWaitForAFreeOne) {
  RevisionSettings settings = from_zero();
  settings.container_concurrency = 2;
  settings.max_scale = 1;
  const Workload workload =
      events({{.at = 10s, .service = 1s}, {.at = 10s, .service = 1s}, {.at = 10s, .service = 1s}});
  const Outcome outcome = run(workload, settings);
  EXPECT_EQ(outcome.served, 3U);
  EXPECT_EQ(outcome.waits.mean_seconds, (2 + 2 + 3) / 3.0);
  EXPECT_EQ(outcome.waits.worst, 3s);
}

TEST(Simulation, AnAppWithOneWorkerProcessesOneRequestAtATime) {
  Workload workload = events({{.at = 10s, .service = 1s}, {.at = 10s, .service = 1s}});
  workload.app.workers = 1;
  RevisionSettings settings = from_zero();
  settings.max_scale = 1;
  const Outcome outcome = run(workload, settings);
  EXPECT_EQ(outcome.served, 2U);
  EXPECT_EQ(outcome.waits.worst, 3s);
}

TEST(Simulation, ARequestBeyondTheQueueDepthIsRejected) {
  RevisionSettings settings = from_zero();
  settings.queue_depth = 1;
  const Outcome outcome =
      run(events({{.at = 10s, .service = 1s}, {.at = 10s, .service = 1s}}), settings);
  EXPECT_EQ(outcome.served, 1U);
  EXPECT_EQ(outcome.rejected, 1U);
}

TEST(Simulation, ARequestOlderThanTheQueueAgeIsRejected) {
  Workload workload = events({{.at = 10s, .service = 1s}});
  workload.app.start = Distribution::fixed(90s);
  const Outcome outcome = run(workload, from_zero());
  EXPECT_EQ(outcome.rejected, 1U);
  EXPECT_EQ(outcome.served, 0U);
}

TEST(Simulation, ARequestLongerThanItsTimeoutIsEnded) {
  RevisionSettings settings = from_zero();
  settings.container_concurrency = 1;
  settings.max_scale = 1;
  const Workload workload =
      events({{.at = 10s, .service = 1s}, {.at = 10s, .service = 3s}, {.at = 60s, .service = 5s}});
  settings.request_timeout =
      5s;  // from their arrival: the first start takes 2 s, the second waits 3 s
  const Outcome total = run(workload, settings);
  EXPECT_EQ(total.served, 2U);  // one does not wait and takes its full service time
  EXPECT_EQ(total.timed_out, 1U);
  settings.request_timeout = 0s;
  settings.response_start_timeout = 2s;  // from the replica on
  EXPECT_EQ(run(workload, settings).timed_out, 2U);
  settings.response_start_timeout = 0s;
  settings.idle_timeout = 4s;
  EXPECT_EQ(run(workload, settings).timed_out, 1U);
}

TEST(Simulation, ARequestThatTimesOutInTheAppsQueueIsEndedThere) {
  Workload workload = events({{.at = 10s, .service = 3s}, {.at = 10s, .service = 1s}});
  workload.app.workers = 1;
  RevisionSettings settings = from_zero();
  settings.max_scale = 1;
  settings.request_timeout = 5s;
  const Outcome outcome = run(workload, settings);
  EXPECT_EQ(outcome.served, 1U);
  EXPECT_EQ(outcome.timed_out, 1U);
  EXPECT_EQ(outcome.waits.worst, 2s);
}

TEST(Simulation, ADrainingReplicaExitsAfterTheDrainTimeout) {
  // Four requests arrive together, one for each of the four initial replicas. Fewer replicas
  // suffice, so some that have requests are drained.
  const std::vector<Traffic::Event> list(4, {.at = 3s, .service = 100s});
  RevisionSettings settings = from_zero();
  settings.initial_scale = 4;
  settings.window = 6s;
  const Outcome patient = run(events(list), settings);
  EXPECT_EQ(patient.served, 4U);
  settings.drain_timeout = 1s;
  const Outcome outcome = run(events(list), settings);
  EXPECT_GT(outcome.aborted, 0U);
  EXPECT_EQ(outcome.served + outcome.aborted, 4U);
  EXPECT_LT(outcome.replica_seconds, patient.replica_seconds);
}

TEST(Simulation, FailedStartsAreRetried) {
  Workload workload = steady(60, 5);
  workload.app.crash_at_start = 0.5;
  RevisionSettings settings = from_zero();
  settings.queue_age = 10min;
  const Outcome outcome = run(workload, settings);
  EXPECT_EQ(outcome.served, outcome.arrivals);
  EXPECT_GT(outcome.waits.worst, 2s);
}

TEST(Simulation, ACrashAbortsRequestsAndTheReplicaRestarts) {
  Workload workload = steady(300, 10);
  workload.app.crash = 1min;
  const Outcome outcome = run(workload, from_zero());
  EXPECT_GT(outcome.aborted, 0U);
  EXPECT_LT(outcome.aborted, outcome.arrivals / 10);
  EXPECT_EQ(outcome.arrivals, outcome.served + outcome.rejected + outcome.aborted);
}

TEST(Simulation, ARestartAfterACrashDoesNotCountAsASlowStart) {
  // The age of a restarted replica is no start time.
  Workload workload = steady(12'000, 8);
  workload.warm_up = 2min;
  const double calm = run(workload, from_zero()).waste();
  workload.app.crash = 20min;
  EXPECT_LT(run(workload, from_zero()).waste(), 1.03 * calm);
}

TEST(Simulation, TwoRequestsThatNeedTheOneCoreTakeTwiceAsLong) {
  RevisionSettings settings = from_zero();
  settings.container_concurrency = 2;
  settings.max_scale = 1;
  const Traffic::Event request{.at = 10s, .service = 1s};
  Workload workload = events({request, request, request, request});
  EXPECT_EQ(run(workload, settings).waits.worst, 3s);  // two end at 13 s
  workload.app.cpu = 1s;
  EXPECT_EQ(run(workload, settings).waits.worst, 4s);  // one ends at 13 s, one at 14 s
}

TEST(Simulation, YearsOfCpuOnATinyCoreDoNotOverflow) {
  const Traffic::Event request{.at = 10s, .service = kMaxDuration};
  Workload workload = events(std::vector<Traffic::Event>(8, request));
  workload.app.cpu = kMaxDuration;
  workload.app.cores = 0.01;
  RevisionSettings settings = from_zero();
  settings.max_scale = 1;
  EXPECT_EQ(run(workload, settings).unfinished, 8U);
}

TEST(Simulation, EveryRequestIsAccountedForUnderAnyDistribution) {
  Workload workload = steady(300, 3);
  workload.app.start = Distribution::lognormal(2s, 5);
  workload.app.service = Distribution::lognormal(8784h, 5);
  const Outcome outcome = run(workload, from_zero());
  EXPECT_EQ(outcome.arrivals,
            outcome.served + outcome.rejected + outcome.aborted + outcome.unfinished);
  EXPECT_GE(outcome.waits.p99, 0s);
  EXPECT_GT(outcome.offered_replica_seconds, 0);
}

TEST(Simulation, CpuUsageIsCountedWhenItHappens) {
  // Twenty minutes of CPU work arrive within a second: the core is full all that time, at a target
  // of half. Requests do not move, so two replicas are right: one full, one empty.
  Workload workload = events({}, 20min);
  workload.traffic.events.assign(20, {.at = 1300ms, .service = 1min});
  workload.app.cpu = 1min;
  RevisionSettings settings = from_zero();
  settings.container_concurrency = 100;
  settings.cpu_utilization = 50;
  const Outcome outcome = run(workload, settings);
  EXPECT_EQ(outcome.max_replicas, 2);
  ASSERT_GT(outcome.intervals.size(), 100U);
  EXPECT_EQ(outcome.intervals[outcome.intervals.size() / 2].used, 2);
  EXPECT_EQ(outcome.served, 20U);
}

TEST(Simulation, APartlyUsedCoreCountsWithItsUsage) {
  // 3 requests per second of 100 ms each use 30 % of one core: one replica suffices for 100 %, 10 %
  // needs more, except in seconds with almost no arrivals.
  Workload workload = steady(180, 10);
  workload.app.service = Distribution::fixed(200ms);
  workload.app.cpu = 100ms;
  workload.warm_up = 1min;
  RevisionSettings settings = from_zero();
  settings.max_scale = 2;
  const auto replicas = [&](double percent) {
    settings.cpu_utilization = percent;
    const Outcome outcome = run(workload, settings);
    return outcome.replica_seconds / to_seconds(outcome.length);
  };
  EXPECT_GT(replicas(10), 1.8);
  EXPECT_LT(replicas(100), 1.1);
}

TEST(Simulation, TheSameSeedGivesTheSameOutcome) {
  const Workload workload = steady(600, 3);
  EXPECT_EQ(run(workload, from_zero()), run(workload, from_zero()));
  EXPECT_NE(run(workload, from_zero()).replica_seconds,
            run(steady(600, 3, 2), from_zero()).replica_seconds);
}

TEST(Simulation, TheWarmUpIsNotCounted) {
  Workload workload = steady(60, 10);
  workload.warm_up = 5min;
  const Outcome outcome = run(workload, from_zero());
  EXPECT_EQ(outcome.arrivals, 300U);
  EXPECT_EQ(outcome.waits.waited, 0U);
  EXPECT_EQ(outcome.length, 5min);
}

TEST(Simulation, ReplicasFromTheWarmUpCountAsUsed) {
  Workload workload = steady(60, 5);
  workload.warm_up = 1min;
  RevisionSettings settings = from_zero();
  settings.min_scale = 3;
  settings.max_scale = 3;
  const Outcome outcome = run(workload, settings);
  EXPECT_DOUBLE_EQ(outcome.replica_seconds, 3 * 240);
  EXPECT_EQ(outcome.max_replicas, 3);
}

TEST(Simulation, IntervalsAddUpToTheWhole) {
  const Outcome outcome = run(steady(300, 30), from_zero());
  double replica_seconds = 0;
  for (const Interval& interval : outcome.intervals) {
    replica_seconds += interval.used * to_seconds(outcome.interval_length);
  }
  EXPECT_NEAR(replica_seconds, outcome.replica_seconds, 0.01 * outcome.replica_seconds);
}

TEST(Simulation, EachProfileServesASteadyLoadAtItsTarget) {
  // 20 requests in service on average. knative and bellows plan with 7 of 10 slots, seed with 9
  // (its target for replicas with a limit; with 10 its mean per pod could never exceed the target).
  for (const auto& [profile, min, max] :
       {std::tuple("bellows", 3.0, 5.0), std::tuple("knative", 3.0, 5.0),
        std::tuple("seed:target-utilization-percentage=90", 2.0, 5.0)}) {
    Workload workload = steady(2400, 8);
    workload.warm_up = 3min;
    const auto policies = read_policies(profile, "");
    ASSERT_TRUE(policies);
    const Outcome outcome = run(workload, policies->front().settings);
    const double replicas = outcome.replica_seconds / to_seconds(outcome.length);
    EXPECT_GE(replicas, min) << profile;
    EXPECT_LE(replicas, max) << profile;
    EXPECT_EQ(outcome.served, outcome.arrivals) << profile;
  }
}

TEST(Simulation, KnativesWindowsScaleFromZeroToo) {
  const auto policies = read_policies("knative", "");
  ASSERT_TRUE(policies);
  const Outcome outcome = run(events({{.at = 150s, .service = 1s}, {.at = 290s, .service = 1s}}),
                              policies->front().settings);
  EXPECT_EQ(outcome.cold_starts, 2U);
  EXPECT_EQ(outcome.waits.worst, 2s);
}

TEST(Oracle, CountsSlotsOfTheLimitForAnyTarget) {
  Workload workload = steady(1200, 5);
  const LoadProfile profile = profile_load(workload);
  const Outcome usual = simulate_oracle(workload, profile, from_zero());
  for (const char* differently : {"bellows:metric=rps", "knative:target=2:max-scale=3"}) {
    const auto policies = read_policies(differently, "");
    ASSERT_TRUE(policies);
    const Outcome oracle = simulate_oracle(workload, profile, policies->front().settings);
    EXPECT_EQ(oracle.offered_replica_seconds, usual.offered_replica_seconds) << differently;
    EXPECT_EQ(oracle.replica_seconds, usual.replica_seconds) << differently;
    EXPECT_EQ(oracle.waits.worst, 0s) << differently;
    const Outcome outcome = run(workload, policies->front().settings);
    EXPECT_EQ(outcome.offered_replica_seconds, usual.offered_replica_seconds) << differently;
  }
}

TEST(Oracle, AvoidsAllWaitsWithFewerReplicasThanThePeak) {
  for (const Duration start : {500ms, 2000ms, 20'000ms}) {
    Workload workload = steady(1500, 4);
    workload.app.start = Distribution::fixed(start);
    workload.options.dispersion = 4;
    const LoadProfile profile = profile_load(workload);
    const Outcome oracle = simulate_oracle(workload, profile, from_zero());
    EXPECT_EQ(oracle.waits.worst, 0s) << to_seconds(start);
    EXPECT_GE(oracle.replica_seconds, oracle.offered_replica_seconds);
    const double peak_all_the_time =
        std::ceil(profile.in_service.max / 10.0) * to_seconds(profile.length);
    EXPECT_LT(oracle.replica_seconds, peak_all_the_time);
  }
}

TEST(Oracle, CountsWorkersAndCoresToo) {
  for (const auto& [workers, cpu] :
       {std::pair(1, 0ms), std::pair(3, 0ms), std::pair(0, 500ms), std::pair(0, 100ms)}) {
    Workload workload = steady(1200, 5);
    workload.app.workers = workers;
    workload.app.cpu = cpu;
    for (const char* policy : {"bellows", "bellows:load-balancing-policy=round-robin"}) {
      const Outcome oracle = simulate_oracle(workload, profile_load(workload),
                                             read_policies(policy, "")->front().settings);
      EXPECT_EQ(oracle.waits.worst, 0s) << workers << " " << cpu.count() << " " << policy;
      EXPECT_EQ(oracle.served, oracle.arrivals);
      EXPECT_GE(oracle.waste(), 0);
    }
  }
}

TEST(Oracle, RarelyLetsRequestsWaitWithFewSlotsAndSharedCores) {
  // Two requests that share a core take longer, which the oracle does not know.
  Workload workload = steady(1200, 5);
  workload.app.workers = 2;
  workload.app.cpu = 100ms;
  const Outcome oracle = simulate_oracle(workload, profile_load(workload), from_zero());
  EXPECT_EQ(oracle.waits.p99, 0s);
  EXPECT_EQ(oracle.served, oracle.arrivals);
}

RC_GTEST_PROP(Simulation, LosesNobodyAndNeverUsesLessThanTheLoad, ()) {
  Workload workload =
      steady(*rc::gen::inRange<std::uint32_t>(1, 600), 2, *rc::gen::arbitrary<std::uint64_t>());
  workload.app.workers = *rc::gen::inRange(0, 5);
  workload.app.service =
      *rc::gen::element(Distribution::fixed(300ms), Distribution::exponential(300ms),
                        Distribution::lognormal(300ms, 1));
  RevisionSettings settings = from_zero();
  settings.container_concurrency = *rc::gen::inRange(1, 20);
  settings.queue_depth = *rc::gen::inRange(1, 100);
  settings.max_scale = *rc::gen::inRange(0, 20);
  const Outcome outcome = run(workload, settings);
  RC_ASSERT(outcome.arrivals ==
            outcome.served + outcome.rejected + outcome.aborted + outcome.unfinished);
  RC_ASSERT(outcome.unfinished == 0U);
  RC_ASSERT(settings.max_scale == 0 || outcome.max_replicas <= 2 * settings.max_scale);
  if (outcome.waits.waited == 0) RC_ASSERT(outcome.waste() >= 0);
}

}  // namespace
}  // namespace bellows::simulator
