#include "metrics/knative/collector.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::metrics::knative {
namespace {

using namespace std::chrono_literals;
using test::kStart;

TEST(KnativeCollector, Case55FiveToFourteenOverTenSeconds) {
  Collector collector(6s, 2s);
  for (int s = 0; s < 10; ++s) collector.record(kStart + s * 1s, s + 5, 0);
  EXPECT_EQ(collector.stable(Metric::kConcurrency, kStart + 9s), 11.5);
  EXPECT_EQ(collector.panic(Metric::kConcurrency, kStart + 9s), 13.5);
}

TEST(KnativeCollector, Case56SeveralReportsOfOneSecondAddUpInAllFourWindows) {
  Collector collector(60s, 6s);
  const auto report = [&](int times, TimePoint at) {
    for (int i = 0; i < times; ++i) collector.record(at, 10, 20);
  };
  const auto expect = [&](double concurrency, double rps, TimePoint at) {
    EXPECT_EQ(collector.stable(Metric::kConcurrency, at), concurrency);
    EXPECT_EQ(collector.panic(Metric::kConcurrency, at), concurrency);
    EXPECT_EQ(collector.stable(Metric::kRps, at), rps);
    EXPECT_EQ(collector.panic(Metric::kRps, at), rps);
  };
  report(3, kStart);
  expect(30, 60, kStart);
  report(4, kStart + 1s);
  expect(35, 70, kStart + 1s);
}

TEST(KnativeCollector, IsEmptyWhenTheStableWindowIs) {
  Collector collector(6s, 1s);
  EXPECT_TRUE(collector.is_empty(kStart));
  collector.record(kStart, 1, 1);
  EXPECT_FALSE(collector.is_empty(kStart + 6s));
  EXPECT_TRUE(collector.is_empty(kStart + 7s));
}

TEST(KnativeCollector, AChangedWindowKeepsItsHistory) {
  Collector collector(60s, 6s);
  for (int s = 0; s < 60; ++s) collector.record(kStart + s * 1s, s, 0);
  collector.resize(10s, 2s, kStart + 59s);
  EXPECT_EQ(collector.stable(Metric::kConcurrency, kStart + 59s), 54.5);
  EXPECT_EQ(collector.panic(Metric::kConcurrency, kStart + 59s), 58.5);
}

TEST(KnativeCollector, TheAggregationMayChangeWhileItRuns) {
  Collector collector(60s, 6s);
  collector.record(kStart, 10, 20);
  collector.set_aggregation(Aggregation::kWeightedExponential);
  EXPECT_NEAR(collector.stable(Metric::kConcurrency, kStart), 2, 1e-12);
  EXPECT_NEAR(collector.stable(Metric::kRps, kStart), 4, 1e-12);
}

}  // namespace
}  // namespace bellows::metrics::knative
