#include "autoscaler/slow/slow_brain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "autoscaler/slow/slow_json.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"
#include "tests/unit/autoscaler/slow/app_data.hpp"

namespace bellows::autoscaler::slow {
namespace {

using namespace std::chrono_literals;

/// A revision over time: a load in requests in flight at idle speed, spread over as many replicas
/// as the target asks for. Requests that take longer are more in flight.
class Diary {
 public:
  explicit Diary(KnownApp known, SlowSpec asked = {}, std::uint64_t seed = 1)
      : app(std::move(known)), spec(asked), random_(seed) {}

  /// `load`: requests a second. Returns the advice of the last evaluation.
  Advice at_load(double load, Duration length) {
    const TimePoint end = now + length;
    Advice last;
    while (now < end) last = one_evaluation(load);
    return last;
  }

  Advice one_evaluation(double load) {
    const Duration period = evaluation_period(spec, state, now);
    const double target = state.target > 0 ? state.target : 10;
    Interval interval{.begin = now, .end = now + period};
    const double level = level_at(load, target);
    const int seconds = static_cast<int>(period / 1s);
    const int replicas = static_cast<int>(replicas_);
    for (int i = 0; i < seconds; ++i) {
      for (int replica = 0; replica < std::min(replicas, 3); ++replica) {
        const double n = std::max(0.0, level * (1 + 0.15 * normal(random_)));
        add_second(interval, n);
      }
    }
    interval.limits = {.cpu = app.cpu_limit, .memory = app.memory_limit};
    now += period;
    const double before = state.target;
    const Advice advice = evaluate(spec, state, interval);
    if (before > 0 && advice.step != Step::kKilled) {
      EXPECT_LE(advice.target, before * 1.5 + 1e-9);
      EXPECT_GE(advice.target, before * 0.5 - 1e-9);
    }
    if (advice.target != advice.before) ++changes;
    return advice;
  }

  KnownApp app;
  SlowSpec spec;
  SlowState state;
  TimePoint now{std::chrono::hours(1)};
  int changes = 0;
  int pings = 0;  ///< health checks a second and replica, 1 ms each

 private:
  /// Requests in flight per replica when `load` arrives: by Little's law, found by iteration.
  double level_at(double load, double target) {
    double in_flight = load * app.time(1);
    for (int i = 0; i < 200; ++i) {
      replicas_ = std::max(1.0, std::ceil(0.9 * in_flight / target));
      const double level = in_flight / replicas_;
      in_flight = std::min(0.7 * in_flight + 0.3 * load * app.time(std::max(level, 1.0)), 1e5);
    }
    return in_flight / replicas_;
  }
  void add_second(Interval& interval, double n) {
    metrics::ReplicaReading reading = app.second(n, random_);
    if (pings > 0) {
      metrics::ServiceTimeCounts counts{};
      reading.times.for_each([&](std::size_t b, std::uint32_t count) { counts[b] += count; });
      counts[metrics::service_time_bucket(1ms)] += static_cast<std::uint32_t>(pings);
      reading.completed += static_cast<std::uint64_t>(pings);
      reading.times = metrics::ServiceTimes(counts);
    }
    interval.table.add(n, reading);
  }

  SeededRandom random_;
  double replicas_ = 1;
};

KnownApp processor_sharing(double cores) {
  KnownApp app;
  app.time = [cores](double n) { return 0.1 * std::max(1.0, n / cores); };
  app.cores = [cores](double n) { return std::min(n, cores); };
  app.cpu_limit = cores;
  return app;
}

TEST(SlowBrain, AnAppWithSharedCoresGetsTheLoadOfItsCpu) {
  Diary diary(processor_sharing(16));
  diary.at_load(50, 5min);
  diary.at_load(800, 20min);
  const Advice advice = diary.at_load(400, 20min);
  EXPECT_NEAR(advice.target, 0.8 * 16, 0.2 * 0.8 * 16);
  EXPECT_EQ(advice.reason, Reason::kCpu);
  EXPECT_GT(advice.confidence, 0.8);
}

TEST(SlowBrain, ASmallOptimumIsFoundToo) {
  Diary diary(processor_sharing(3));
  const Advice advice = diary.at_load(100, 30min);
  EXPECT_NEAR(advice.target, 2.4, 0.5);
}

TEST(SlowBrain, ALargeOptimumIsReachedWithinMinutes) {
  KnownApp app;
  app.time = [](double n) { return 0.05 + 0.0005 * (n - 1); };
  app.spread = 0.1;
  const config::LatencyGoal goal{.quantile = 0.95, .limit = 200ms};
  Diary diary(app, {.goal = goal});
  const Advice advice = diary.at_load(8000, 10min);
  EXPECT_GT(advice.target, 150);  // from 10
}

/// Replicas that live for a minute tell little, and what they miss counts all the same.
TEST(SlowBrain, AMissedGoalRaisesNothingUntilABoundIsSeen) {
  struct Case {
    const char* situation;
    double factor;
    bool is_slow_seen;  ///< the table has the level at which the goal is missed
    bool is_raised;
  };
  constexpr Case kCases[] = {
      {"nothing binds and the goal is kept", 1.1, false, true},
      {"nothing binds and the goal is missed", 0.9, false, false},
      {"the bound of what was seen is above the target", 0.9, true, true},
  };
  for (const Case& known : kCases) {
    KnownApp app;
    app.time = [](double n) { return n < 30 ? 0.1 : 0.4; };
    app.spread = 0.1;
    SeededRandom random(1);
    SlowState state;
    state.at = state.since = TimePoint(1h);
    state.target = 10;
    state.goal.factor = known.factor;
    Interval interval;
    interval.begin = TimePoint(1h);
    interval.end = TimePoint(1h) + 30s;
    for (int i = 0; i < 60; ++i) {
      for (const double n : {5.0, 10.0, 20.0}) interval.table.add(n, app.second(n, random));
      if (known.is_slow_seen) interval.table.add(40, app.second(40, random));
    }
    SlowSpec spec;
    spec.goal = config::LatencyGoal{.quantile = 0.95, .limit = 200ms};
    const Advice advice = evaluate(spec, state, interval);
    EXPECT_EQ(advice.target > 10, known.is_raised) << known.situation << ": " << advice.target;
  }
}

TEST(SlowBrain, ConstantLoadOfAnAppThatScalesDoesNotDriftUpwards) {
  Diary diary({});
  diary.at_load(500, 30min);
  const double target = diary.state.target;
  EXPECT_LE(target, 2 * 50 * 1.6);  // all of the 50 requests in flight in one replica
  diary.changes = 0;
  diary.at_load(500, 8h);
  EXPECT_LE(diary.changes, 2);
  EXPECT_NEAR(diary.state.target, target, 0.5 * target);
}

TEST(SlowBrain, HealthChecksAtAQuietTimeDoNotLowerTheTarget) {
  Diary diary(processor_sharing(16));
  diary.pings = 20;
  diary.at_load(2, 10min);  // nearly only health checks, at 1 ms
  const Advice advice = diary.at_load(600, 30min);
  EXPECT_NEAR(advice.target, 0.8 * 16, 0.25 * 0.8 * 16);
}

TEST(SlowBrain, WhatIsSlowForGoodIsNotTakenForHealthy) {
  Diary diary(processor_sharing(16));
  diary.at_load(800, 30min);
  const double before = diary.state.target;
  diary.app.time = [](double) { return 5.0; };  // every request times out somewhere
  diary.app.cores = [](double n) { return 0.001 * n; };
  diary.at_load(800, 60min);
  EXPECT_LE(diary.state.target, 1.6 * before);
}

TEST(SlowBrain, AnAppAlwaysUnderLoadIsNeverEmptiedToMeasureIt) {
  KnownApp app;
  app.time = [](double n) { return 0.05 * (1 + 0.02 * (n - 1)); };
  LevelTable loaded = table_of(app, 15, 60, 900);
  const double alone = *idle_time(loaded, 0.5);
  EXPECT_NEAR(alone, 0.05, 0.3 * 0.05);
}

TEST(SlowBrain, SecondsWithoutRequestsAreNoTimes) {
  Diary diary(processor_sharing(8));
  Interval empty{.begin = diary.now, .end = diary.now + 30s};
  for (int i = 0; i < 30; ++i) empty.table.add(0, {});
  const Advice advice = evaluate(diary.spec, diary.state, empty);
  EXPECT_EQ(advice.step, Step::kSteady);
  EXPECT_DOUBLE_EQ(advice.target, 10);
}

TEST(SlowBrain, TheTargetStaysWhileTheLoadDoesNotFillIt) {
  Diary diary({}, {.configured = 100, .is_configured = true});
  const Advice advice = diary.at_load(20, 30min);  // two requests in flight
  EXPECT_DOUBLE_EQ(advice.target, 100);
}

TEST(SlowBrain, NothingIsLearnedDuringARollout) {
  Diary diary(processor_sharing(16));
  diary.at_load(400, 20min);
  const double before = diary.state.target;
  Interval mixed{.begin = diary.now, .end = diary.now + 30s, .is_rollout = true};
  mixed.table = table_of(processor_sharing(2), 1, 30, 100);
  const LevelTable table = diary.state.table;
  const Advice advice = evaluate(diary.spec, diary.state, mixed);
  EXPECT_EQ(advice.step, Step::kRollout);
  EXPECT_DOUBLE_EQ(advice.target, before);
  EXPECT_EQ(diary.state.table, table);
}

TEST(SlowBrain, AKillForMemoryHalvesTheTargetOnceAndIsRemembered) {
  Diary diary({});
  diary.at_load(600, 10min);
  const double before = diary.state.target;
  Interval killed{.begin = diary.now, .end = diary.now + 2s, .killed_at = before};
  const Advice advice = evaluate(diary.spec, diary.state, killed);
  EXPECT_EQ(advice.step, Step::kKilled);
  EXPECT_DOUBLE_EQ(advice.target, before / 2);
  diary.now += 2s;
  const Advice later = diary.at_load(600, 60min);
  EXPECT_LE(later.target, before / 2 * 1.1);
  EXPECT_EQ(later.reason, Reason::kMemory);
}

TEST(SlowBrain, TwiceAsSlowAppsAreLearnedAnewWithinTenMinutes) {
  const config::LatencyGoal goal{.quantile = 0.95, .limit = 300ms};
  KnownApp app;
  app.spread = 0.1;
  app.time = [](double n) { return 0.05 * (1 + 0.1 * (n - 1)); };
  Diary diary(app, {.goal = goal});
  diary.at_load(1000, 3h);
  const double before = diary.state.target;
  diary.app.time = [](double n) { return 0.1 * (1 + 0.1 * (n - 1)); };
  diary.at_load(500, 15min);
  const double truth = 1 + (0.3 / std::exp(0.2326) / 0.1 - 1) / 0.1;
  EXPECT_GT(before, 1.3 * truth);
  EXPECT_NEAR(diary.state.target, truth, 0.25 * truth);
}

TEST(SlowBrain, SeveralKillsOfOneMomentHalveTheTargetOnce) {
  Diary diary({});
  diary.at_load(600, 10min);
  const double before = diary.state.target;
  for (int replica = 0; replica < 5; ++replica) {
    Interval killed{.begin = diary.now, .end = diary.now + 2s, .killed_at = 1.2 * before};
    (void)evaluate(diary.spec, diary.state, killed);
    diary.now += 2s;
  }
  EXPECT_DOUBLE_EQ(diary.state.target, before / 2);
}

TEST(SlowBrain, KillsByBurstsHalveTheTargetUntilThereAreNone) {
  Diary diary({});
  diary.at_load(600, 10min);
  double before = diary.state.target;
  for (int burst = 0; burst < 3; ++burst) {
    diary.now += 10min;
    Interval killed{.begin = diary.now - 30s, .end = diary.now, .killed_at = 5 * before};
    (void)evaluate(diary.spec, diary.state, killed);
    EXPECT_DOUBLE_EQ(diary.state.target, before / 2);
    diary.at_load(600, 10min);
    EXPECT_LE(diary.state.target, before / 2 * 1.1);
    before = diary.state.target;
  }
}

TEST(SlowBrain, AGoalBelowTheTimeOfOneRequestIsSaid) {
  const config::LatencyGoal goal{.quantile = 0.95, .limit = 20ms};
  Diary diary(processor_sharing(16), {.goal = goal});
  const Advice advice = diary.at_load(100, 20min);
  ASSERT_TRUE(advice.best_possible.has_value());
  EXPECT_NEAR(*advice.best_possible, 0.1 * std::exp(1.645 * 0.3), 0.02);
}

TEST(SlowBrain, TheTargetStaysWithinItsBoundsAndTheHardLimit) {
  Diary low(processor_sharing(16), {.min = 2, .max = 5});
  EXPECT_DOUBLE_EQ(low.at_load(800, 30min).target, 5);
  config::RevisionSettings settings;
  settings.container_concurrency = 8;
  EXPECT_DOUBLE_EQ(slow_spec(settings).max, 8);
  EXPECT_DOUBLE_EQ(slow_spec(settings).configured, 8);
}

TEST(SlowBrain, ANewVersionBeginsWithTheOldTarget) {
  Diary diary(processor_sharing(16));
  diary.at_load(400, 20min);
  const double before = diary.state.target;
  start_version(diary.state, "b");
  EXPECT_TRUE(diary.state.table.empty());
  EXPECT_DOUBLE_EQ(diary.state.target, before);
  EXPECT_EQ(diary.state.version, "b");
}

TEST(SlowBrain, ANewVersionIsLearnedAsFastAsTheFirstOne) {
  Diary diary(processor_sharing(16));
  diary.at_load(400, 3h);
  EXPECT_EQ(evaluation_period(diary.spec, diary.state, diary.now), 5min);
  start_version(diary.state, "b");
  diary.app = processor_sharing(4);
  const Advice advice = diary.at_load(400, 10min);
  EXPECT_EQ(evaluation_period(diary.spec, diary.state, diary.now), 30s);
  EXPECT_LT(advice.target, 5);
  diary.spec.window = 2s;
  EXPECT_EQ(evaluation_period(diary.spec, diary.state, diary.now), 2s);
}

TEST(SlowBrain, AClockThatJumpsBackForgetsNothingAndMovesNothing) {
  Diary diary(processor_sharing(16));
  diary.at_load(400, 20min);
  const double seconds = diary.state.table.seconds();
  Interval early{.begin = diary.now - 48h, .end = diary.now - 48h + 30s};
  const Advice advice = evaluate(diary.spec, diary.state, early);
  EXPECT_DOUBLE_EQ(diary.state.table.seconds(), seconds);
  EXPECT_TRUE(std::isfinite(advice.target));
}

TEST(SlowBrainProperty, EqualInputsGiveEqualAdviceInAnyOrderOfReplicas) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SeededRandom random(seed);
    std::vector<metrics::Stat> stats;
    const KnownApp app = processor_sharing(4);
    for (int i = 0; i < 60; ++i) {
      const double n = 1 + 8 * random.fraction();
      metrics::Stat stat;
      stat.pod = PodName("pod-" + std::to_string(i));
      stat.concurrency = n;
      stat.reading = metrics::ReadingPtr(app.second(n, random));
      stats.push_back(stat);
    }
    const TimePoint at{1h};
    const auto advice_of = [&](const std::vector<metrics::Stat>& in_order) {
      IntervalMeter meter;
      meter.expect_old(at + 1s);
      for (const auto& stat : in_order) meter.record(stat, {}, at);
      SlowState state;
      return evaluate({}, state, meter.take(at + 30s, false));
    };
    const Advice forward = advice_of(stats);
    EXPECT_EQ(forward, advice_of(stats));
    std::reverse(stats.begin(), stats.end());
    const Advice backward = advice_of(stats);
    EXPECT_NEAR(forward.target, backward.target, 1e-6);
    EXPECT_NEAR(forward.wanted, backward.wanted, 1e-6);
  }
}

TEST(IntervalMeter, TheFirstMinuteOfAReplicaIsNotLearnedFrom) {
  IntervalMeter meter;
  metrics::Stat stat;
  stat.pod = PodName("a");
  stat.concurrency = 3;
  stat.reading = metrics::ReadingPtr(metrics::ReplicaReading{.completed = 30, .times = {}});
  for (int second = 0; second < 90; ++second) meter.record(stat, {}, TimePoint(1h + second * 1s));
  const Interval interval = meter.take(TimePoint(1h + 91s), false);
  EXPECT_DOUBLE_EQ(interval.table.seconds(), 30);
}

TEST(IntervalMeter, WithAShortWindowTheFirstOneIsNotLearnedFrom) {
  IntervalMeter meter;
  const SlowSpec spec{.window = 2s};
  metrics::Stat stat;
  stat.pod = PodName("a");
  stat.concurrency = 3;
  stat.reading = metrics::ReadingPtr(metrics::ReplicaReading{.completed = 30, .times = {}});
  for (int second = 0; second < 9; ++second) meter.record(stat, spec, TimePoint(1h + second * 1s));
  EXPECT_DOUBLE_EQ(meter.take(TimePoint(1h + 10s), false).table.seconds(), 7);
}

TEST(SlowState, ItsTextIsReadAsTheSameState) {
  SlowSpec spec;
  spec.goal = config::LatencyGoal{.quantile = 0.95, .limit = 80ms};
  Diary diary(processor_sharing(4), spec);
  diary.at_load(30, 10min);
  record_goal(diary.state.goal, 900, 0);
  record_goal(diary.state.goal, 30, 4);
  ASSERT_GT(diary.state.goal.owed, 0);
  const Jump jump{.at = diary.now - 2min, .load = 40, .missed = 30};
  record_jumps(diary.state.jumps, {jump, jump}, diary.now);
  ASSERT_GT(kept_load(diary.state.jumps, 1), 0);
  json::Writer out;
  write_state(out, "state", diary.state, diary.now);
  const auto root = json::parse(out.end_line());
  ASSERT_TRUE(root.has_value());
  const auto read = read_state(*root->object("state"), diary.now);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(*read, diary.state);
}

/// Seconds of one replica with that memory, of a limit of 1000 MiB.
class MemorySeconds {
 public:
  void report(double in_flight, std::int64_t memory, std::uint64_t errors) {
    metrics::ReplicaReading reading;
    reading.errors = errors;
    reading.memory = mebibytes(memory);
    reading.memory_limit = mebibytes(1000);
    metrics::Stat stat;
    stat.pod = PodName("a");
    stat.concurrency = stat.peak = in_flight;
    stat.reading = metrics::ReadingPtr(reading);
    meter.record(stat, {}, now_ += 1s);
  }
  IntervalMeter meter;

 private:
  TimePoint now_{1h};
};

TEST(IntervalMeter, MemoryThatIsSuddenlyFreeWithFailedRequestsIsAKill) {
  MemorySeconds seconds;
  seconds.report(10, 300, 0);
  seconds.report(40, 900, 0);
  EXPECT_FALSE(seconds.meter.has_kill());
  seconds.report(0, 120, 40);
  EXPECT_TRUE(seconds.meter.has_kill());
  EXPECT_DOUBLE_EQ(seconds.meter.take(TimePoint(2h), false).killed_at, 40);
}

TEST(IntervalMeter, MemoryThatABurstGaveBackIsNoKill) {
  MemorySeconds seconds;
  seconds.report(40, 900, 0);
  seconds.report(0, 120, 0);
  EXPECT_FALSE(seconds.meter.has_kill());
}

TEST(IntervalMeter, AnActivatorAndAReplicaWithoutReadingAreNothing) {
  IntervalMeter meter;
  metrics::Stat stat;
  meter.record(stat, {}, TimePoint(1h));
  stat.source = metrics::StatSource::kActivator;
  stat.reading = metrics::ReadingPtr(metrics::ReplicaReading{});
  meter.record(stat, {}, TimePoint(1h));
  EXPECT_TRUE(meter.take(TimePoint(1h + 1s), false).table.empty());
}

}  // namespace
}  // namespace bellows::autoscaler::slow
