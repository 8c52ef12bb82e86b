#include "metrics/series_window.hpp"

#include <gtest/gtest.h>
// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint at(std::int64_t second) {
  return TimePoint(1000h + std::chrono::seconds(second) + 300ms);
}

TEST(SeriesWindow, WhatWasNotRecordedIsUnknownNotZero) {
  for (const auto aggregation : {Aggregation::kLinear, Aggregation::kWeightedExponential}) {
    SeriesWindow window(10s, aggregation);
    for (const int second : {0, 1, 5}) window.record(at(second), 10);
    EXPECT_DOUBLE_EQ(window.average(at(5)), 10);
    EXPECT_DOUBLE_EQ(window.average(at(9)), 10);
  }
}

TEST(SeriesWindow, TheFirstSecondIsItsOwnMeanInAWeightedWindowToo) {
  SeriesWindow window(60s, Aggregation::kWeightedExponential);
  window.record(at(0), 10);
  EXPECT_DOUBLE_EQ(window.average(at(0)), 10);
}

TEST(SeriesWindow, NewerSecondsWeighMore) {
  SeriesWindow window(6s, Aggregation::kWeightedExponential);
  for (int second = 0; second < 6; ++second) window.record(at(second), 0);
  window.record(at(6), 12);
  const double a = newest_weight(6);
  EXPECT_NEAR(window.average(at(6)), 12 * a / (1 - std::pow(1 - a, 6)), 1e-12);
  EXPECT_NEAR(window.average(at(6)), 9.41, 0.01);
}

TEST(SeriesWindow, ValuesOfOneSecondAddUp) {
  SeriesWindow window(5s);
  window.record(at(0), 1);
  window.record(at(0), 10);
  EXPECT_EQ(window.average(at(0)), 11);
}

TEST(SeriesWindow, AfterTheLastRecordTheRestStandsAndThenItIsEmpty) {
  SeriesWindow window(5s);
  for (int second = 0; second < 5; ++second) window.record(at(second), second);
  EXPECT_EQ(window.average(at(7)), 3.5) << "the seconds 3 and 4";
  EXPECT_FALSE(window.is_empty(at(8)));
  EXPECT_TRUE(window.is_empty(at(9)));
  EXPECT_EQ(window.average(at(9)), 0);
  window.record(at(100), 2);
  EXPECT_EQ(window.average(at(100)), 2);
}

TEST(SeriesWindow, IsEmptyBeforeTheFirstRecord) {
  SeriesWindow window(5s);
  EXPECT_TRUE(window.is_empty(at(0)));
  EXPECT_EQ(window.average(at(0)), 0);
}

TEST(SeriesWindow, ABurstThatLeftLeavesNothingBehind) {
  SeriesWindow window(5s);
  window.record(at(0), 1e15);
  for (int second = 1; second <= 5; ++second) window.record(at(second), 0.1);
  EXPECT_DOUBLE_EQ(window.average(at(5)), 0.1);
}

TEST(SeriesWindow, AnotherLengthKeepsWhatBothHold) {
  SeriesWindow window(10s);
  for (int second = 0; second < 10; ++second) window.record(at(second), second);
  window.resize(4s);
  EXPECT_EQ(window.average(at(9)), 7.5);
  window.resize(20s);
  EXPECT_EQ(window.average(at(9)), 7.5);
  window.record(at(10), 10);
  EXPECT_EQ(window.average(at(10)), 8);
}

TEST(SeriesWindow, ALateValueCountsInItsSecondAndATooLateOneNowhere) {
  for (const auto aggregation : {Aggregation::kLinear, Aggregation::kWeightedExponential}) {
    SeriesWindow in_order(5s, aggregation);
    SeriesWindow late(5s, aggregation);
    for (const int second : {6, 8, 10}) in_order.record(at(second), second);
    for (const int second : {10, 6, 8, 5}) late.record(at(second), second);
    EXPECT_DOUBLE_EQ(late.average(at(10)), in_order.average(at(10)));
    late.average(at(11));
    late.record(at(9), 9);
    in_order.record(at(9), 9);
    EXPECT_DOUBLE_EQ(late.average(at(11)), in_order.average(at(11)));
  }
}

RC_GTEST_PROP(SeriesWindowProperty, IsTheMeanOfItsDefinition, ()) {
  const auto size = *rc::gen::inRange<std::int64_t>(2, 70);
  const auto aggregation =
      *rc::gen::element(Aggregation::kLinear, Aggregation::kWeightedExponential);
  const double decay = aggregation == Aggregation::kLinear ? 1 : 1 - newest_weight(size);
  SeriesWindow window(std::chrono::seconds(size), aggregation);
  std::map<std::int64_t, double> values;
  std::int64_t now = 0;
  for (int step = 0; step < 100; ++step) {
    now += *rc::gen::inRange(0, 8) == 0 ? *rc::gen::inRange<std::int64_t>(0, 2 * size)
                                        : *rc::gen::inRange(0, 3);
    const double value = *rc::gen::inRange(0, 1000) / 8.0;
    window.record(at(now), value);
    values[now] += value;
    const std::int64_t then = now + *rc::gen::inRange<std::int64_t>(0, size + 2);
    double sum = 0;
    double weights = 0;
    for (const auto& [second, recorded] : values) {
      if (second <= then - size) continue;
      const double weight = std::pow(decay, static_cast<double>(then - second));
      sum += recorded * weight;
      weights += weight;
    }
    const double expected = weights > 0 ? sum / weights : 0;
    RC_ASSERT(std::abs(window.average(at(then)) - expected) <= 1e-12 * expected);
    RC_ASSERT(window.is_empty(at(then)) == (weights == 0));
  }
}

}  // namespace
}  // namespace bellows::metrics
