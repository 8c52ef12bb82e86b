#include "metrics/service_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "metrics/service_meter.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// The time within which the share `quantile` of the requests was served; nothing without requests.
std::optional<double> service_time_quantile(const ServiceTimeCounts& counts, double quantile) {
  double total = 0;
  for (const std::uint32_t count : counts) total += count;
  double below = 0;
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
    below += counts[bucket];
    if (counts[bucket] > 0 && below >= quantile * total) return service_time_seconds(bucket);
  }
  return std::nullopt;
}

Duration seconds_of(double seconds) {
  return Duration(static_cast<Duration::rep>(seconds * 1e9));
}

TEST(ServiceTimes, ATimeIsReadBackWithinFivePercentOverTheWholeRange) {
  for (double seconds = 0.000105; seconds < 7000; seconds *= 1.0173) {
    const double read = service_time_seconds(service_time_bucket(seconds_of(seconds)));
    EXPECT_NEAR(read / seconds, 1, 0.05) << seconds;
  }
}

TEST(ServiceTimes, EachEndBelongsToItsBucketAndWhatFollowsToTheNext) {
  double end = 1e-4;
  for (std::size_t bucket = 0; bucket + 1 < kServiceTimeBuckets; ++bucket, end *= 1.1) {
    EXPECT_EQ(service_time_bucket(seconds_of(end)), bucket) << end;
    EXPECT_EQ(service_time_bucket(seconds_of(end * 1.00001)), bucket + 1) << end;
    EXPECT_EQ(service_time_bucket(seconds_of(end * 0.99999)), bucket) << end;
  }
}

TEST(ServiceTimes, TimesOutsideTheRangeCountInTheFirstAndTheLastBucket) {
  EXPECT_EQ(service_time_bucket(-5s), 0U);
  EXPECT_EQ(service_time_bucket(0s), 0U);
  EXPECT_EQ(service_time_bucket(100us), 0U);
  EXPECT_EQ(service_time_bucket(48h), kServiceTimeBuckets - 1);
}

ServiceTimeCounts counts_of(const ServiceTimes& times) {
  ServiceTimeCounts counts{};
  times.for_each([&](std::size_t bucket, std::uint32_t count) { counts[bucket] += count; });
  return counts;
}

TEST(ServiceTimes, FewRequestsAreKeptExactly) {
  ServiceTimeCounts counts{};
  counts[0] = 1;
  counts[1] = 15;
  counts[60] = 7;
  counts[191] = 2;
  EXPECT_EQ(counts_of(ServiceTimes(counts)), counts);
}

TEST(ServiceTimes, TheQuantilesOfABusySecondStayWithinABucket) {
  SeededRandom random(3);
  for (const double spread : {0.1, 0.5, 1.0, 1.6}) {
    ServiceTimeCounts counts{};
    std::vector<double> sorted;
    for (int i = 0; i < 20'000; ++i) {
      double normal = -6;
      for (int k = 0; k < 12; ++k) normal += random.fraction();
      const double seconds = 0.05 * std::exp(spread * normal);
      sorted.push_back(seconds);
      ++counts[service_time_bucket(seconds_of(seconds))];
    }
    std::sort(sorted.begin(), sorted.end());
    const ServiceTimes packed(counts);
    EXPECT_LE(packed.bytes().size(), ServiceTimes::kMaxBytes);
    for (const double quantile : {0.5, 0.95, 0.99}) {
      const double truth = sorted[static_cast<std::size_t>(quantile * 20'000) - 1];
      // Up to a factor of 500 a bucket, beyond it a group of two.
      const double allowed = spread < 0.7 ? 0.06 : 0.11;
      EXPECT_NEAR(*service_time_quantile(counts_of(packed), quantile) / truth, 1, allowed)
          << quantile << " of spread " << spread;
    }
  }
}

TEST(ServiceTimes, TimesInEveryBucketStillFitAndKeepTheirMedian) {
  ServiceTimeCounts counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = i >= 90 && i < 110 ? 1000 : 1;
  const ServiceTimes packed(counts);
  EXPECT_LE(packed.bytes().size(), ServiceTimes::kMaxBytes);
  EXPECT_NEAR(*service_time_quantile(counts_of(packed), 0.5) / service_time_seconds(99), 1, 0.48);
}

TEST(ServiceTimes, WhatACountLeavesOverIsNeverMuchLonger) {
  ServiceTimeCounts counts{};
  counts[40] = 17;  // 16 fit into a byte
  counts[120] = 1;
  ServiceTimeCounts kept = counts;
  kept[40] = 16;
  EXPECT_EQ(counts_of(ServiceTimes(counts)), kept);
}

TEST(ServiceTimes, TwoKindsOfRequestsKeepTheirTimes) {
  ServiceTimeCounts counts{};
  for (std::size_t i = 0; i < 20; ++i) counts[60 + i] = static_cast<std::uint32_t>(50 + i);
  for (std::size_t i = 0; i < 20; ++i) counts[95 + i] = 3;
  const ServiceTimeCounts packed = counts_of(ServiceTimes(counts));
  for (const double quantile : {0.1, 0.5, 0.9, 0.95, 0.99}) {
    const double truth = *service_time_quantile(counts, quantile);
    EXPECT_NEAR(*service_time_quantile(packed, quantile) / truth, 1, 0.11) << quantile;
  }
}

TEST(ServiceTimes, NoRequestHasNoQuantile) {
  EXPECT_EQ(service_time_quantile(ServiceTimeCounts{}, 0.5), std::nullopt);
  EXPECT_TRUE(ServiceTimes(ServiceTimeCounts{}).empty());
}

TEST(ServiceTimes, BytesOfTheWireAreReadBack) {
  ServiceTimeCounts counts{};
  counts[40] = 900;
  counts[44] = 3;
  const ServiceTimes packed(counts);
  const auto read = ServiceTimes::parse(packed.bytes());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, packed);
}

TEST(ServiceTimes, HalfBytesOfTheWireAreReadBack) {
  ServiceTimeCounts counts{};
  for (std::size_t i = 10; i < 70; ++i) counts[i] = static_cast<std::uint32_t>(i * i);
  const ServiceTimes packed(counts);
  ASSERT_EQ(static_cast<std::uint8_t>(packed.bytes()[0]), 193);
  const auto read = ServiceTimes::parse(packed.bytes());
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(*read, packed);
  double kept = 0;
  double all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    kept += counts_of(packed)[i];
    all += counts[i];
  }
  EXPECT_LE(kept, all);
  EXPECT_GT(kept, 0.95 * all);
}

TEST(ServiceTimes, ImpossibleBytesAreNamed) {
  const auto problem = [](const std::string& bytes) {
    return to_string(ServiceTimes::parse(bytes).error());
  };
  EXPECT_THAT(problem(std::string(37, '\1')), HasSubstr("37 bytes; at most 36"));
  EXPECT_THAT(problem("\x05"), HasSubstr("1 bytes"));
  EXPECT_THAT(problem(std::string("\x05\x00", 2)), HasSubstr("byte 1: 0: must be a count"));
  EXPECT_THAT(problem("\x05\x01\x90"), HasSubstr("a gap with no count after it"));
  EXPECT_THAT(problem("\xbf\x01\x01"), HasSubstr("byte 2: 1: beyond bucket 191"));
  EXPECT_THAT(problem("\xc0\x01"), HasSubstr("byte 0: 192: beyond bucket 191"));
  EXPECT_THAT(problem("\xc5\x01"), HasSubstr("byte 0: 197: must be a bucket up to 191"));
  EXPECT_THAT(problem(std::string("\xc2\x60\x00\x10", 4)),
              HasSubstr("byte 1: 96: beyond group 95"));
  EXPECT_THAT(problem("\xc1\x05"), HasSubstr("2 bytes; must be 3 and at least one"));
  EXPECT_THAT(problem("\xc1\x05\x19\x10"), HasSubstr("byte 2: 25: must be at most 24"));
  EXPECT_THAT(problem("\x60\xff\x01"), HasSubstr("beyond bucket 191"));
}

TEST(ServiceMeter, ASecondHasItsRequestsAndTheNextOneStartsEmpty) {
  ServiceMeter meter;
  meter.ended(20ms, false);
  meter.ended(21ms, true);
  meter.ended_untimed(false);
  meter.refused();
  const ReplicaReading second = meter.close_second();
  EXPECT_EQ(second.completed, 3U);
  EXPECT_EQ(second.errors, 1U);
  EXPECT_EQ(second.refused, 1U);
  EXPECT_NEAR(*service_time_quantile(counts_of(second.times), 0.5), 0.02, 0.001);
  EXPECT_EQ(meter.close_second(), ReplicaReading{});
}

}  // namespace
}  // namespace bellows::metrics
