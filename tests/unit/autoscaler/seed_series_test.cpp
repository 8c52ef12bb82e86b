// The ramps of the seed's own tests (knative.md 7.6): every replica reports one whole number a
// second, from + i * (to - from) / seconds, cut to a whole number, for i from 1 to seconds. As
// there, one decision is made at the end of each series.
#include <gtest/gtest.h>

#include <string>

#include "metrics/revision_windows.hpp"
#include "tests/support/stat_diary.hpp"
#include "tests/unit/autoscaler/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

struct Series {
  int from, to, seconds;
  PodCount pods;
};

class SeedSeries : public testing::Test {
 protected:
  PodCount want_after(const Series& series) {
    for (int i = 1; i <= series.seconds; ++i) {
      ++second_;
      const double step = static_cast<double>(series.to - series.from) / series.seconds;
      const int load = static_cast<int>(series.from + i * step);
      for (PodCount pod = 0; pod < series.pods; ++pod) {
        diary_.steady("web-" + std::to_string(pod), second_, second_, load);
      }
    }
    const Decision decision = decide(spec_, seen(), state_, bellows::test::StatDiary::at(second_));
    state_ = decision.after;
    return decision.want;
  }

  Observation seen() {
    const TimePoint now = bellows::test::StatDiary::at(second_);
    const auto stable = windows_.average(metrics::Window::kStable, now);
    const auto panic = windows_.average(metrics::Window::kPanic, now);
    Observation seen = load(stable.total, panic.total, stable.pods);
    seen.stable.covered_seconds = stable.covered_seconds;
    return seen;
  }

  ScalingSpec spec_ = spec_with_target(10);
  metrics::RevisionWindows windows_{seconds(60), seconds(6)};
  bellows::test::StatDiary diary_{windows_};
  DeciderState state_;
  std::int64_t second_ = 0;
};

TEST_F(SeedSeries, Row111LoadThatDoublesOverAMinuteGetsItsMean) {
  EXPECT_EQ(want_after({.from = 10, .to = 20, .seconds = 60, .pods = 10}), 15);
}

TEST_F(SeedSeries, Row112LoadThatHalvesOverAMinuteGetsItsMean) {
  EXPECT_EQ(want_after({.from = 20, .to = 10, .seconds = 60, .pods = 10}), 15);
}

TEST_F(SeedSeries, Row116PanicFollowsARiseOfPowersAndHoldsWhatItReached) {
  spec_ = spec_with_target(1);
  EXPECT_EQ(want_after({.from = 1, .to = 10, .seconds = 6, .pods = 1}), 6);
  EXPECT_EQ(want_after({.from = 1, .to = 10, .seconds = 6, .pods = 6}), 36);
  EXPECT_EQ(want_after({.from = 1, .to = 10, .seconds = 6, .pods = 36}), 216);
  EXPECT_EQ(want_after({.from = 1, .to = 10, .seconds = 6, .pods = 216}), 1296);
  EXPECT_EQ(want_after({.from = 1, .to = 1, .seconds = 6, .pods = 1296}), 1296);
}

}  // namespace
}  // namespace bellows::autoscaler::test
