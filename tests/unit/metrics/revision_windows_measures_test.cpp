// What the windows say by other measures than requests in flight, linear.
#include <gtest/gtest.h>

#include "metrics/revision_windows.hpp"
#include "tests/support/stat_diary.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using test::StatDiary;

constexpr Measure kWeighted{Metric::kConcurrency, Aggregation::kWeightedExponential};
constexpr Measure kPeak{Metric::kConcurrency, Aggregation::kPeak};
constexpr Measure kRps{Metric::kRps, Aggregation::kLinear};

class Measures : public ::testing::Test {
 protected:
  double total(std::int64_t now, Window window = Window::kStable) {
    return windows.average(window, StatDiary::at(now)).total;
  }
  void report(const std::string& pod, std::int64_t second, double load, double peak,
              std::uint64_t requests, StatSource source = StatSource::kReplica) {
    Stat stat = StatDiary::stat(pod, second, load, source);
    stat.peak = peak;
    stat.requests = requests;
    diary.record(stat, second);
  }

  RevisionWindows windows{60s, 6s, 3s};
  StatDiary diary{windows};
};

TEST_F(Measures, WeightedSteadyLoadIsThatLoadFromTheFirstSecondOn) {
  windows.measure_by(kWeighted);
  for (std::int64_t s = 0; s <= 100; ++s) {
    diary.steady("a", s, s, 7);
    EXPECT_NEAR(total(s), 7, 1e-9) << s;
    EXPECT_NEAR(total(s, Window::kPanic), 7, 1e-9) << s;
  }
}

TEST_F(Measures, WeightedTheWorkedExampleOfTheHeader) {
  RevisionWindows ten(10s, 6s, 3s);
  ten.measure_by(kWeighted);
  StatDiary story(ten);
  for (std::int64_t s = 0; s < 10; ++s) {
    if (s != 4) story.record(StatDiary::stat("a", s, 8), s);
    if (s >= 2 && s <= 4) story.record(StatDiary::stat("b", s, 6), s);
    if (s >= 1 && s <= 3) {
      const double waiting = s == 1 ? 20 : s == 2 ? 10 : 0;
      story.record(StatDiary::stat("c", s, waiting, StatSource::kActivator), s);
    }
  }
  EXPECT_NEAR(ten.average(Window::kStable, StatDiary::at(9)).total, 8.07336, 1e-5);
  EXPECT_DOUBLE_EQ(ten.concurrency(Window::kStable, StatDiary::at(9)).total, 12.8);
}

TEST_F(Measures, WeightedFollowsAStepFasterThanLinear) {
  diary.steady("a", 0, 59, 10);
  diary.steady("a", 60, 64, 40);
  EXPECT_DOUBLE_EQ(total(64), (55 * 10 + 5 * 40) / 60.0);
  windows.measure_by(kWeighted);
  EXPECT_NEAR(total(64), 10 + 30 * (1 - 0.32768), 0.01) << "1 - 0.8^5 of the step";
}

TEST_F(Measures, WeightedALostSecondInASteadyLoadChangesNothing) {
  windows.measure_by(kWeighted);
  for (std::int64_t s = 0; s <= 80; ++s) {
    if (s % 5 != 3) diary.steady("a", s, s, 9);
  }
  EXPECT_NEAR(total(80), 9, 1e-9);
  EXPECT_NEAR(total(82, Window::kPanic), 9, 1e-9) << "the newest seconds have not come yet";
}

TEST_F(Measures, WeightedADeadSourceFadesWithinSeconds) {
  windows.measure_by(kWeighted);
  for (std::int64_t s = 0; s <= 60; ++s) {
    diary.steady("a", s, s, 10);
    diary.steady("b", s, s, 10);
  }
  diary.steady("a", 61, 63, 10);
  EXPECT_NEAR(total(63), 20, 1e-9) << "not yet known to be gone";
  diary.steady("a", 64, 75, 10);
  EXPECT_LT(total(75), 10.5);
  EXPECT_NEAR(total(75), 10 + 10 * 0.0352, 0.01) << "0.8^15";
}

TEST_F(Measures, WeightedNothingIsLeftOfABurstThatLeftTheWindow) {
  windows.measure_by(kWeighted);
  diary.steady("a", 0, 0, 1e9);
  diary.steady("a", 1, 60, 0);
  EXPECT_EQ(total(60), 0);
  EXPECT_EQ(total(60, Window::kPanic), 0);
}

TEST_F(Measures, WeightedWhatIsLeftOfAnHourAgoIsStillAMean) {
  RevisionWindows hour(3600s, 360s, 3s);
  hour.measure_by(kWeighted);
  StatDiary story(hour);
  story.steady("a", 0, 9, 5);
  EXPECT_NEAR(hour.average(Window::kStable, StatDiary::at(3605)).total, 5, 1e-9);
}

TEST_F(Measures, PeakIsTheMeanOfTheSecondsMaxima) {
  windows.measure_by(kPeak);
  for (std::int64_t s = 0; s < 10; ++s) report("a", s, 2, s % 2 == 0 ? 10 : 20, 50);
  EXPECT_DOUBLE_EQ(total(9), 15);
  EXPECT_DOUBLE_EQ(windows.concurrency(Window::kStable, StatDiary::at(9)).total, 2);
  EXPECT_DOUBLE_EQ(windows.average(Window::kStable, StatDiary::at(9)).per_pod, 15);
}

TEST_F(Measures, APodThatIsLateCountsWithItsLastPeak) {
  windows.measure_by(kPeak);
  report("a", 0, 2, 12, 50);
  RevisionWindows one(60s, 1s, 3s);
  one.measure_by(kPeak);
  StatDiary story(one);
  Stat stat = StatDiary::stat("a", 0, 2);
  stat.peak = 12;
  story.record(stat, 0);
  EXPECT_DOUBLE_EQ(one.average(Window::kPanic, StatDiary::at(2)).total, 12);
}

TEST_F(Measures, RequestsPerSecondIncludeTheActivatorsQueue) {
  windows.measure_by(kRps);
  for (std::int64_t s = 0; s < 10; ++s) {
    report("a", s, 2, 4, 100);
    report("b", s, 2, 4, 60);
    report("activator", s, 30, 40, 190, StatSource::kActivator);
  }
  EXPECT_DOUBLE_EQ(total(9), 190) << "160 served and 30 that wait";
  EXPECT_DOUBLE_EQ(windows.average(Window::kStable, StatDiary::at(9)).per_pod, 80);
  EXPECT_DOUBLE_EQ(windows.concurrency(Window::kStable, StatDiary::at(9)).total, 34);
}

TEST_F(Measures, AnotherWindowKeepsTheHistoryOfEveryMeasure) {
  windows.measure_by(kWeighted);
  for (std::int64_t s = 0; s < 60; ++s) report("a", s, 5, 9, 70);
  windows.resize(20s, 4s);
  EXPECT_NEAR(total(59), 5, 1e-9);
  windows.measure_by(kPeak);
  EXPECT_DOUBLE_EQ(total(59), 9);
  windows.measure_by(kRps);
  EXPECT_DOUBLE_EQ(total(59, Window::kPanic), 70);
}

}  // namespace
}  // namespace bellows::metrics
