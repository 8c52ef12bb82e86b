// How the target goes on while replicas have a fixed share of it in flight: its growth, and what a
// kill by a jump leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "autoscaler/slow/sentence.hpp"
#include "autoscaler/slow/slow_brain.hpp"
#include "tests/unit/autoscaler/slow/app_data.hpp"

namespace bellows::autoscaler::slow {
namespace {

using namespace std::chrono_literals;

/// Two replicas with two thirds of the target in flight: the rest is headroom.
class Course {
 public:
  explicit Course(KnownApp known) : app(std::move(known)) {}

  void pass(Duration length) {
    for (const TimePoint end = now + length; now < end;) {
      const Duration period = evaluation_period(spec, state, now);
      Interval interval{.begin = now, .end = now + period};
      const auto seconds = static_cast<int>(period / 1s);
      for (int second = 0; second < 2 * seconds; ++second) {
        const double level = (0.6 + 0.02 * (second % 7)) * std::max(state.target, 10.0);
        interval.table.add(level, app.second(level, random_));
      }
      interval.limits = {.cpu = app.cpu_limit, .memory = app.memory_limit};
      now += period;
      (void)evaluate(spec, state, interval);
    }
  }

  void killed(double at, double crowding) {
    Interval interval{.begin = now, .end = now + 2s, .killed_at = at};
    interval.fleet.crowding = crowding;
    now += 2s;
    (void)evaluate(spec, state, interval);
  }

  double jumped(double load) {
    Interval interval{.begin = now, .end = now + 70s};
    interval.fleet.jumps = {Jump{.at = now, .load = load, .missed = 20}};
    now += 70s;
    return evaluate(spec, state, interval).kept_load;
  }

  KnownApp app;
  SlowSpec spec{.goal = config::LatencyGoal{.quantile = 0.95, .limit = 2s}};
  SlowState state;
  TimePoint now{10h};

 private:
  SeededRandom random_{1};
};

TEST(TargetCourse, WhatReplicasFillToTwoThirdsIsRaisedWhileNothingBinds) {
  Course course({});
  course.pass(20min);
  EXPECT_GT(course.state.target, 80);  // from 10
}

/// Replicas that are kept meet the next jump; the target need not stay at half for a day.
TEST(TargetCourse, AKillByAJumpIsForgottenOnceReplicasAreKeptForJumps) {
  KnownApp app;
  app.memory = [](double n) { return 200 + 10 * n; };
  app.memory_limit = 1000;
  Course course(app);
  course.pass(20min);
  const double before = course.state.target;
  course.killed(3 * before, 4 * before);
  EXPECT_DOUBLE_EQ(course.state.target, before / 2);
  EXPECT_DOUBLE_EQ(course.jumped(20 * before), 0);
  EXPECT_DOUBLE_EQ(course.jumped(20 * before), 20 * before);
  course.pass(30min);
  const double after = course.state.target;
  EXPECT_GT(after, 0.9 * before);
  course.killed(after, after);  // although replicas are kept
  EXPECT_DOUBLE_EQ(course.state.target, after / 2);
  course.pass(30min);
  EXPECT_LE(course.state.target, after / 2 * 1.1);
}

/// A level below one request is no advice that anybody could follow.
TEST(TargetCourse, AGoalMissedByOneRequestHasNoKeptLevel) {
  const SlowSpec spec{.goal = config::LatencyGoal{.quantile = 0.95, .limit = 200ms}};
  Advice advice;
  advice.target = 1;
  advice.reason = Reason::kLatency;
  advice.confidence = 0.9;
  const auto said = [&](double level) {
    advice.bounds[static_cast<std::size_t>(Reason::kLatency)] =
        Bound{.level = level, .confidence = 0.9};
    return sentence(spec, {}, advice, config::SlowBrain::kAuto, 1, 0);
  };
  EXPECT_THAT(said(7), testing::HasSubstr("p95 < 200ms is kept up to 7 in flight"));
  EXPECT_THAT(said(0.5), testing::HasSubstr("is kept too seldom at all levels that were seen"));
}

}  // namespace
}  // namespace bellows::autoscaler::slow
