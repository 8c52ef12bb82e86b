#include "metrics/knative/bucket_window.hpp"

#include <gtest/gtest.h>
// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace bellows::metrics::knative {
namespace {

using namespace std::chrono_literals;

TimePoint at(double seconds) {
  return TimePoint(std::chrono::hours(1000) + from_seconds(seconds));
}

/// A window that was given 1 2 3 4 5 in the seconds 0 to 4.
BucketWindow one_to_five() {
  BucketWindow window(5s);
  for (int s = 0; s < 5; ++s) window.record(at(s), s + 1);
  return window;
}

// The numbers are those of the table of cases in knative.md 7.3.

TEST(KnativeLinear, Case45TheFirstSecondIsItsOwnMean) {
  BucketWindow window(5s);
  window.record(at(0), 1);
  EXPECT_EQ(window.average(at(0)), 1);
}

TEST(KnativeLinear, Case46OneToFiveIsReadNowSlightlyBackLaterAndMuchLater) {
  BucketWindow window = one_to_five();
  EXPECT_EQ(window.average(at(4)), 3);
  EXPECT_EQ(window.average(at(3.6)), 3);
  EXPECT_EQ(window.average(at(6)), 4);
  EXPECT_EQ(window.average(at(10)), 0);
  EXPECT_EQ(window.average(at(5)), 3.5) << "a read goes back behind an earlier one";
}

TEST(KnativeLinear, ContinuesWithWhatIsHeldWhenItWasWeightedBefore) {
  BucketWindow window(5s, Aggregation::kWeightedExponential);
  for (int s = 0; s < 5; ++s) window.record(at(s), s + 1);
  window.set_aggregation(Aggregation::kLinear);
  EXPECT_EQ(window.average(at(4)), 3);
  EXPECT_EQ(window.average(at(6)), 4);
}

TEST(KnativeLinear, Case47AMissingSecondCountsAsZero) {
  BucketWindow window = one_to_five();
  window.record(at(6), 91);
  EXPECT_EQ(window.average(at(6)), 20.6);
}

TEST(KnativeLinear, Case51RecordsFromTheNewestToTheOldest) {
  BucketWindow window(5s);
  for (int s = 8; s >= 0; --s) window.record(at(s), 5);
  EXPECT_EQ(window.average(at(5)), 5);
}

TEST(KnativeLinear, Case52ValuesOfOneSecondAddUp) {
  BucketWindow window(5s);
  window.record(at(0), 1);
  window.record(at(0.1), 10);
  EXPECT_EQ(window.average(at(0.9)), 11);
}

TEST(KnativeLinear, Case54BucketsOfThreeSecondsInAWindowOfFiveAreTwo) {
  BucketWindow window(5s, Aggregation::kLinear, 3s);
  window.record(at(0), 4);
  window.record(at(3), 8);
  window.record(at(6), 10);
  EXPECT_EQ(window.average(at(6)), 9) << "the newest two";
}

TEST(KnativeLinear, IsEmptyOneSecondAfterItsMeanIsGone) {
  BucketWindow window = one_to_five();
  EXPECT_FALSE(window.is_empty(at(9.999)));
  EXPECT_EQ(window.average(at(9)), 0);
  EXPECT_TRUE(window.is_empty(at(10)));
  EXPECT_TRUE(BucketWindow(5s).is_empty(at(0)));
  EXPECT_EQ(BucketWindow(5s).average(at(0)), 0);
}

TEST(KnativeLinear, AMeanDoesNotDecayWhenTheDataStopItFallsOffACliff) {
  BucketWindow window(60s);
  for (int s = 0; s < 100; ++s) window.record(at(s), 100);
  window.record(at(100), 0);
  EXPECT_NEAR(window.average(at(130)), 96.7, 0.05);
  EXPECT_EQ(window.average(at(158)), 50);
  EXPECT_EQ(window.average(at(159)), 0);
}

TEST(KnativeLinear, TwoLostSecondsOfSixCostAThirdOfTheLoad) {
  BucketWindow window(6s);
  for (int s = 0; s < 20; ++s) {
    if (s != 16 && s != 17) window.record(at(s), 30);
  }
  EXPECT_EQ(window.average(at(19)), 20);
}

TEST(KnativeLinear, ALateRecordCountsWhereItBelongsAndATooOldOneNowhere) {
  BucketWindow window(5s);
  window.record(at(10), 5);
  window.record(at(7), 1);
  EXPECT_EQ(window.average(at(10)), 1.5) << "seconds 7 to 10";
  window.record(at(5), 100);
  EXPECT_EQ(window.average(at(10)), 1.5);
  window.record(at(6), 4);
  EXPECT_EQ(window.average(at(10)), 2);
}

TEST(KnativeLinear, AResizeKeepsTheNewestSecondsAndCallsThemOldEnough) {
  BucketWindow window(10s);
  window.record(at(0), 8);
  window.record(at(1), 4);
  window.resize(5s, at(1));
  EXPECT_EQ(window.average(at(1)), 2.4) << "12 over five seconds, although it is known for two";
  window.resize(20s, at(1));
  EXPECT_EQ(window.average(at(1)), 2.4);
}

TEST(KnativeLinear, AResizeAfterASilenceLongerThanTheWindowDropsEverything) {
  BucketWindow window(10s);
  window.record(at(0), 8);
  window.resize(60s, at(11));
  EXPECT_EQ(window.average(at(11)), 0);
  EXPECT_FALSE(window.is_empty(at(60))) << "the last record is within the new window";
  EXPECT_TRUE(window.is_empty(at(61)));
  window.record(at(12), 6);
  EXPECT_EQ(window.average(at(12)), 6) << "as in a new window";
}

TEST(KnativeLinear, WhatIsOlderThanTheOldWindowIsNotInTheNewOne) {
  BucketWindow window(20s);
  window.record(at(0), 12);
  window.record(at(10), 12);
  window.resize(60s, at(31));
  EXPECT_EQ(window.average(at(31)), 0);
}

/// Seconds from the last record on: a resize, another one, a record, and the mean at `read`.
struct AfterSilence {
  const char* what;
  int resized;
  int again;  // 0: never
  int recorded;
  int read;
  double mean;
};

// By Knative's ResizeWindow, Record and WindowAverage: the last record is at 0, the window 10 s,
// then 60 s and, if resized again, 30 s.
const AfterSilence kAfterSilence[] = {
    {"a record afterwards is the first", 20, 0, 25, 25, 6},
    {"a later mean is of that record too", 20, 0, 25, 30, 6},
    {"a late record begins there", 20, 0, -4, 20, 6 / 5.0},
    {"in the last second the first is unknown", 20, 0, 0, 20, 6 / 40.0},
    {"after a second resize the zeros are data", 20, 21, 22, 22, 6 / 30.0},
    {"unless it comes too late", 20, 81, 82, 82, 6},
};

TEST(KnativeLinear, ARecordAfterSuchAResizeCountsAsInKnative) {
  for (const AfterSilence& row : kAfterSilence) {
    BucketWindow window(10s);
    window.record(at(0), 8);
    window.resize(60s, at(row.resized));
    if (row.again != 0) window.resize(30s, at(row.again));
    window.record(at(row.recorded), 6);
    EXPECT_DOUBLE_EQ(window.average(at(row.read)), row.mean) << row.what;
  }
}

TEST(KnativeWeighted, Case57And59CoefficientsAndAMean) {
  EXPECT_NEAR(newest_weight(5), .84151, 1e-5);
  EXPECT_NEAR(newest_weight(6), .78456, 1e-5);
  EXPECT_NEAR(newest_weight(40), .20567, 1e-5);
  EXPECT_EQ(newest_weight(60), .2);
  EXPECT_EQ(newest_weight(100), .2);
  BucketWindow window(5s, Aggregation::kWeightedExponential);
  for (int s = 0; s < 5; ++s) window.record(at(s), s + 2);
  EXPECT_NEAR(window.average(at(4)), 5.812, 0.0005);
}

TEST(KnativeWeighted, StartsSlowlyBecauseItIsNotNormalised) {
  BucketWindow window(60s, Aggregation::kWeightedExponential);
  const std::map<int, double> expected = {{0, 2.0}, {1, 3.6}, {2, 4.88}, {3, 5.90}, {4, 6.72}};
  for (int s = 0; s < 20; ++s) {
    window.record(at(s), 10);
    if (expected.contains(s)) {
      EXPECT_NEAR(window.average(at(s)), expected.at(s), 0.005) << s;
    }
  }
  EXPECT_NEAR(window.average(at(19)), 9.88, 0.005);
  EXPECT_NEAR(window.average(at(20)), 0.8 * window.average(at(19)), 1e-12) << "a silent second";
}

TEST(KnativeWeighted, ABurstThatLeftTheWindowLeavesNothingBehind) {
  BucketWindow window(10s, Aggregation::kWeightedExponential);
  window.record(at(0), 1e12);
  for (int s = 1; s < 10; ++s) window.record(at(s), 0);
  EXPECT_GT(window.average(at(9)), 1e7);
  EXPECT_EQ(window.average(at(10)), 0);
  EXPECT_FALSE(window.is_empty(at(10)));
}

TEST(KnativeWindow, TheAggregationMayChangeWhileDataAreHeld) {
  BucketWindow window = one_to_five();
  window.set_aggregation(Aggregation::kWeightedExponential);
  const double a = newest_weight(5);
  double expected = 0;
  for (int age = 0; age < 5; ++age) expected += (5 - age) * a * std::pow(1 - a, age);
  EXPECT_NEAR(window.average(at(4)), expected, 1e-12);
  window.set_aggregation(Aggregation::kLinear);
  EXPECT_EQ(window.average(at(4)), 3);
}

/// The definition, said as directly as can be: all values by second, looked through at each read.
class Plain {
 public:
  explicit Plain(std::int64_t size) : size_(size) {}

  void record(std::int64_t second, double value) {
    if (values_.empty() || second - newest() >= size_) {
      values_.clear();
    } else if (second <= newest() - size_) {
      return;
    }
    values_[second] += value;
  }

  double weighted(std::int64_t now) const {
    const double a = newest_weight(size_);
    const std::int64_t from = std::max(now, newest());
    double sum = 0;
    for (const auto& [second, value] : values_) {
      if (second > from - size_) {
        sum += value * a * std::pow(1 - a, static_cast<double>(from - second));
      }
    }
    return sum;
  }

 private:
  std::int64_t newest() const { return values_.rbegin()->first; }

  std::int64_t size_;
  std::map<std::int64_t, double> values_;
};

RC_GTEST_PROP(KnativeWeightedProperty, TheRecurrenceIsTheSumOfItsDefinition, ()) {
  const auto size = *rc::gen::inRange<std::int64_t>(2, 80);
  BucketWindow window(std::chrono::seconds(size), Aggregation::kWeightedExponential);
  Plain plain(size);
  std::int64_t now = 0;
  for (int step = 0; step < 150; ++step) {
    const bool is_gap = *rc::gen::inRange(0, 12) == 0;
    now += is_gap ? *rc::gen::inRange<std::int64_t>(0, 2 * size) : *rc::gen::inRange(0, 3);
    const auto back = *rc::gen::weightedElement<std::int64_t>({{8, 0}, {3, 1}, {1, size - 1}});
    const double value = *rc::gen::inRange(0, 4000) / 7.0;
    window.record(at(static_cast<double>(now - back)), value);
    plain.record(now - back, value);
    if (*rc::gen::inRange(0, 3) != 0) continue;
    const auto later = *rc::gen::inRange<std::int64_t>(-2, size + 2);
    const double expected = plain.weighted(now + later);
    RC_ASSERT(std::abs(window.average(at(static_cast<double>(now + later))) - expected) <=
              1e-12 * std::abs(expected));
  }
}

}  // namespace
}  // namespace bellows::metrics::knative
