// The series of the seed's own tests (knative.md 7.6) under profile seed: every replica reports one
// whole number a second, from + i * (to - from) / seconds, cut to a whole number, for i from 1 to
// seconds. As there, one decision is made at the end of each series.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "metrics/revision_windows.hpp"
#include "tests/support/stat_diary.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

struct Series {
  int from, to, seconds;
  PodCount pods;
  PodCount want;
};

struct Row {
  const char* name;
  double target;
  std::vector<Series> series;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.name;
}

/// Replicas that report whole numbers, and a decider of 2018.
class SeedWorld {
 public:
  explicit SeedWorld(double target) : spec_(spec_of("seed")) {
    spec_.target = target;
    DeciderState state;
    state.last_load = bellows::test::StatDiary::at(0);
    story_ = Story(state);
  }

  Decision after(const Series& series) {
    for (int i = 1; i <= series.seconds; ++i) {
      ++second_;
      const double step = static_cast<double>(series.to - series.from) / series.seconds;
      const int load = static_cast<int>(series.from + i * step);
      for (PodCount pod = 0; pod < series.pods; ++pod) {
        diary_.steady("web-" + std::to_string(pod), second_, second_, load);
      }
    }
    return decide();
  }

  Decision after_silence(int seconds) {
    second_ += seconds;
    return decide();
  }

 private:
  Decision decide() {
    const TimePoint now = bellows::test::StatDiary::at(second_);
    return story_.decide(spec_, seen(now), now);
  }

  Observation seen(TimePoint now) {
    const auto stable = windows_.average(metrics::Window::kStable, now);
    const auto panic = windows_.average(metrics::Window::kPanic, now);
    Observation seen;
    seen.stable = {stable.total, stable.per_pod, stable.covered_seconds};
    seen.panic = {panic.total, panic.per_pod, panic.covered_seconds};
    seen.in_window = stable.pods_in_window;
    seen.observed = seen.ready = seen.requested = stable.pods;
    if (const auto last = windows_.last_load()) seen.idle_for = now - *last;
    return seen;
  }

  ScalingSpec spec_;
  Story story_;
  metrics::RevisionWindows windows_{seconds(60), seconds(6)};
  bellows::test::StatDiary diary_{windows_};
  std::int64_t second_ = 0;
};

class SeedSeries : public testing::TestWithParam<Row> {};

TEST_P(SeedSeries, EndsInWhatTheSeedWanted) {
  SeedWorld world(GetParam().target);
  for (const Series& series : GetParam().series) {
    EXPECT_EQ(world.after(series).replicas, series.want) << "after load from " << series.from;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SeedSeries,
    testing::Values(
        //                                      target  from  to  for  pods  want
        Row{"Row110SteadyLoadKeepsTen", 10, {{10, 10, 60, 10, 10}}},
        Row{"Row111LoadThatDoublesGetsItsMean", 10, {{10, 20, 60, 10, 15}}},
        Row{"Row112LoadThatHalvesGetsItsMean", 10, {{20, 10, 60, 10, 15}}},
        Row{"Row113TwoIdlePodsBecomeOne", 10, {{0, 0, 60, 2, 1}}},
        Row{"Row114FiveIdleMinutesEndAtZero", 10, {{1, 1, 60, 1, 1}, {0, 0, 300, 1, 0}}},
        Row{"Row115SixSecondsAtTwiceTheTargetArePanic",
            10,
            {{10, 10, 60, 10, 10}, {20, 20, 6, 10, 20}}},
        Row{"Row116PanicFollowsARiseOfPowersAndHolds",
            1,
            {{1, 10, 6, 1, 6},
             {1, 10, 6, 6, 36},
             {1, 10, 6, 36, 216},
             {1, 10, 6, 216, 1296},
             {1, 1, 6, 1296, 1296}}},
        Row{"Row117PanicHoldsAMinuteAndLetsGo",
            10,
            {{10, 10, 60, 10, 10},
             {100, 100, 6, 10, 100},
             {1, 1, 30, 100, 100},
             {1, 1, 31, 100, 10}}}),
    [](const auto& row) { return row.param.name; });

TEST(SeedSeriesRow118, WithoutDataThereIsNoDecision) {
  SeedWorld world(10);
  EXPECT_FALSE(world.after_silence(60).is_valid);
  EXPECT_TRUE(world.after({10, 10, 60, 10, 10}).is_valid);
  EXPECT_TRUE(world.after_silence(59).is_valid);  // the last point is in the window yet
  EXPECT_FALSE(world.after_silence(1).is_valid);
}

}  // namespace
}  // namespace bellows::autoscaler::test
