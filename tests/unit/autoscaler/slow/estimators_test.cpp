// Each estimator against data from its own model with noise. The errors are those of 20 seeds.
#include "autoscaler/slow/estimators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/autoscaler/slow/app_data.hpp"

namespace bellows::autoscaler::slow {
namespace {

constexpr int kSeeds = 20;

/// Bias and worst error of a bound over the seeds, as shares of the truth.
struct Errors {
  double bias = 0;
  double worst = 0;
};
template <class F>
Errors errors_of(double truth, F bound) {
  Errors errors;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const double error = bound(seed) / truth - 1;
    errors.bias += error / kSeeds;
    errors.worst = std::max(errors.worst, std::abs(error));
  }
  return errors;
}

double shared(double n, double cores) {
  return 0.1 * std::max(1.0, n / cores);
}

TEST(CpuBound, IsFoundWhereTheLimitWasReached) {
  KnownApp app;
  app.time = [](double n) { return shared(n, 8); };
  app.cores = [](double n) { return std::min(n, 8.0) * 0.5; };
  app.cpu_limit = 4;
  const Errors errors = errors_of(6.4, [&](std::uint64_t seed) {
    return cpu_bound(table_of(app, 1, 20, 600, seed), {.cpu = 4}, false)->level;
  });
  EXPECT_NEAR(errors.bias, 0, 0.05);
  EXPECT_LT(errors.worst, 0.1);
}

TEST(CpuBound, IsContinuedFromLowerLevels) {
  KnownApp app;
  app.cores = [](double n) { return 0.2 + 0.01 * n; };
  app.cpu_limit = 1;
  const Errors errors = errors_of(60, [&](std::uint64_t seed) {
    const auto bound = cpu_bound(table_of(app, 1, 25, 600, seed), {.cpu = 1}, false);
    EXPECT_FALSE(bound->is_seen);
    EXPECT_LT(bound->confidence, 0.7);
    return bound->level;
  });
  EXPECT_NEAR(errors.bias, 0, 0.05);
  EXPECT_LT(errors.worst, 0.15);
}

TEST(CpuBound, WithAGoalIsAQuarterAboveWhereTheCpuIsUsedUp) {
  KnownApp app;
  app.time = [](double n) { return shared(n, 8); };
  app.cores = [](double n) { return std::min(n, 8.0) * 0.5; };
  app.cpu_limit = 4;
  const Errors errors = errors_of(1.25 * 0.97 * 8, [&](std::uint64_t seed) {
    return cpu_bound(table_of(app, 1, 20, 600, seed), {.cpu = 4}, true)->level;
  });
  EXPECT_NEAR(errors.bias, 0, 0.1);
  EXPECT_LT(errors.worst, 0.2);
}

TEST(CpuBound, MoreCpuNeverLowersIt) {
  KnownApp app;
  app.cores = [](double n) { return 0.2 + 0.01 * n; };
  app.cpu_limit = 1;
  const LevelTable table = table_of(app, 1, 60, 600);
  for (const bool has_goal : {false, true}) {
    double before = 0;
    for (double limit = 0.3; limit < 8; limit *= 1.2) {
      const double level = cpu_bound(table, {.cpu = limit}, has_goal)->level;
      EXPECT_GE(level, before - 1e-9);
      before = level;
    }
  }
}

TEST(CpuBound, SaysNothingWithoutALimitOrAReading) {
  EXPECT_FALSE(cpu_bound(table_of({}, 1, 40, 600), {.cpu = 1}, false).has_value());
  EXPECT_FALSE(cpu_bound({}, {.cpu = 1}, false).has_value());
  EXPECT_FALSE(cpu_bound(table_of({}, 1, 40, 600), {}, false).has_value());
}

KnownApp memory_app() {
  KnownApp app;
  app.memory = [](double n) { return 200 + 10 * n; };
  app.memory_limit = 1000;
  return app;
}

TEST(MemoryBound, IsWhereTheLineReachesTheLimitAtABadMoment) {
  // c + sqrt(c) = 75.
  const Errors errors = errors_of(66.8, [](std::uint64_t seed) {
    return memory_bound(table_of(memory_app(), 1, 40, 600, seed), {.memory = 1000}, {}, 1)->level;
  });
  EXPECT_NEAR(errors.bias, 0, 0.05);
  EXPECT_LT(errors.worst, 0.1);
}

TEST(MemoryBound, HoldsInAMomentThatIsWorseThanUsualToo) {
  const LevelTable table = table_of(memory_app(), 1, 40, 600);
  const auto level = [&](double crowding) {
    return memory_bound(table, {.memory = 1000}, {}, crowding)->level;
  };
  EXPECT_NEAR(level(4), level(1) / 4, 1e-9);
}

TEST(MemoryBound, MoreMemoryNeverLowersIt) {
  const LevelTable table = table_of(memory_app(), 1, 40, 600);
  double before = 0;
  for (double limit = 300; limit < 4000; limit *= 1.3) {
    const double level = memory_bound(table, {.memory = limit}, {}, 1)->level;
    EXPECT_GE(level, before);
    before = level;
  }
}

TEST(MemoryBound, AnAppThatKeepsItsMemoryHasNone) {
  KnownApp app;
  app.memory = [](double) { return 400; };
  app.memory_limit = 1000;
  const auto bound = memory_bound(table_of(app, 1, 40, 600), {.memory = 1000}, {}, 1);
  EXPECT_TRUE(!bound || bound->level > 400);
}

TEST(MemoryBound, AKillHalvesTheLevelUntilItIsForgotten) {
  const LevelTable table = table_of({}, 1, 40, 600);
  EXPECT_DOUBLE_EQ(memory_bound(table, {}, {.level = 30, .weight = 1}, 1)->level, 15);
  EXPECT_FALSE(memory_bound(table, {}, {.level = 30, .weight = 0.4}, 1).has_value());
}

TEST(LatencyBound, IsWhereTheGoalIsReached) {
  KnownApp app;
  app.time = [](double n) { return 0.05 + 0.002 * n; };
  app.spread = 0.2;
  // A fifth of the late requests that the goal lets pass: the 99th percentile, exp(2.326 * 0.2) =
  // 1.59 times the median.
  const config::LatencyGoal goal{.quantile = 0.95, .limit = std::chrono::milliseconds(150)};
  const double truth = (0.150 / std::exp(2.326 * 0.2) - 0.05) / 0.002;
  const Errors seen = errors_of(truth, [&](std::uint64_t seed) {
    return latency_bound(table_of(app, 1, 60, 900, seed), goal)->level;
  });
  EXPECT_NEAR(seen.bias, 0, 0.12);
  EXPECT_LT(seen.worst, 0.2);
  const Errors continued = errors_of(truth, [&](std::uint64_t seed) {
    return latency_bound(table_of(app, 1, 15, 900, seed), goal)->level;
  });
  EXPECT_NEAR(continued.bias, 0, 0.2);
}

TEST(LatencyBound, WithoutAGoalTheMedianMayGrowByHalf) {
  KnownApp app;
  app.time = [](double n) { return 0.05 + 0.001 * (n - 1); };
  const Errors errors = errors_of(26, [&](std::uint64_t seed) {
    return latency_bound(table_of(app, 1, 60, 900, seed), std::nullopt)->level;
  });
  EXPECT_NEAR(errors.bias, 0, 0.12);
}

TEST(Estimators, EmptyAndConstantInputHasNoNumberThatIsNone) {
  LevelTable constant;
  SeededRandom random(1);
  for (int i = 0; i < 100; ++i) constant.add(7, KnownApp{}.second(7, random));
  LevelTable idle;
  for (int i = 0; i < 100; ++i) idle.add(0, {});
  for (const LevelTable& table : {LevelTable{}, constant, idle}) {
    for (const auto& bound :
         {cpu_bound(table, {.cpu = 1}, false), cpu_bound(table, {.cpu = 1}, true),
          memory_bound(table, {.memory = 100}, {}, 1),
          latency_bound(table, config::LatencyGoal{.limit = std::chrono::milliseconds(1)}),
          latency_bound(table, std::nullopt)}) {
      if (!bound) continue;
      EXPECT_TRUE(std::isfinite(bound->level) && bound->level > 0);
      EXPECT_TRUE(bound->confidence >= 0 && bound->confidence <= 1);
    }
  }
}

}  // namespace
}  // namespace bellows::autoscaler::slow
