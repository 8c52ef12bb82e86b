// How the target goes on while replicas have a fixed share of it in flight.
#include <gtest/gtest.h>

#include <algorithm>

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
      interval.replica_seconds = 2 * seconds;
      interval.limits = {.cpu = app.cpu_limit, .memory = app.memory_limit};
      now += period;
      (void)evaluate(spec, state, interval);
    }
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

}  // namespace
}  // namespace bellows::autoscaler::slow
