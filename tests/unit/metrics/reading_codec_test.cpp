// The part of a stat that not every sender has: `app` and `times`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "metrics/stat_codec.hpp"
#include "tests/support/raw_stat.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using ::testing::HasSubstr;

ReplicaReading busy_reading() {
  ServiceTimeCounts counts{};
  for (std::size_t i = 40; i < 100; ++i) counts[i] = static_cast<std::uint32_t>(37 * i % 91 + 1);
  ReplicaReading reading;
  reading.completed = 12'000;
  reading.errors = 12;
  reading.refused = 300;
  reading.times = ServiceTimes(counts);
  reading.cpu = 3'987'654us;
  reading.throttled = 123'456us;
  reading.cpu_limit = Millicores{4000};
  reading.memory = mebibytes(1500);
  reading.memory_limit = mebibytes(8192);
  reading.cpu_pressure = 0.25;
  reading.memory_pressure = 0;
  return reading;
}

Stat stat_with(const ReplicaReading& reading) {
  return {.revision = RevisionId("a-namespace-of-a-team/checkout-service-00042-aaaaaaaaaa"),
          .pod = PodName("checkout-service-00042-deployment-6b7c9d8f4b-x2x2x-aaaa"),
          .boot = 0xfedcba9876543210,
          .sequence = 70'000,
          .age = 1500ms,
          .concurrency = 17.25,
          .peak = 120,
          .requests = 12'345,
          .reading = ReadingPtr(reading)};
}

TEST(ReadingCodec, WhatWasMeasuredIsDecoded) {
  const Stat stat = stat_with(busy_reading());
  const auto decoded = decode(encode(stat));
  ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
  EXPECT_EQ(std::get<Stat>(*decoded), stat);
}

TEST(ReadingCodec, WhatTheKernelDoesNotHaveStaysUnknown) {
  ReplicaReading reading;
  reading.memory = mebibytes(20);
  const auto decoded = decode(encode(stat_with(reading)));
  ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
  EXPECT_EQ(*std::get<Stat>(*decoded).reading, reading);
}

TEST(ReadingCodec, AStatOfABusyReplicaWithLongNamesTakesAtMost300Bytes) {
  EXPECT_LE(encode(stat_with(busy_reading())).size(), 300U);
}

TEST(ReadingCodec, AStatOfAnOlderSenderHasNoReading) {
  Stat stat = stat_with({});
  stat.reading = {};
  const auto decoded = decode(encode(stat));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_FALSE(std::get<Stat>(*decoded).reading);
}

std::string with_app(const std::string& app, const std::string& times = "\xc4\x00"s) {
  return test::raw_stat(stat_with({}), app, times);
}

std::string problem(const std::string& bytes) {
  const auto decoded = decode(bytes);
  return decoded ? "none" : to_string(decoded.error());
}

const std::string kSevenNils(7, '\xc0');

TEST(ReadingCodec, EntriesOfALaterSenderAreSkipped) {
  const auto decoded =
      decode(with_app("\x9d\x02\x01\x00"s + kSevenNils + "\x93\x01\xa1x\xc0\xc3\x07"s));
  ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
  EXPECT_EQ(std::get<Stat>(*decoded).reading->completed, 2U);
}

TEST(ReadingCodec, ImpossibleReadingsAreNamed) {
  const std::string rest = "\x00"s + kSevenNils;
  EXPECT_EQ(problem(with_app("\x9a\x02\x01" + rest)), "none");
  EXPECT_THAT(problem(with_app("\x9a\x02\x03" + rest)), HasSubstr("app: 3 errors of 2 completed"));
  EXPECT_THAT(problem(with_app("\x9a\xc0\x00" + rest)), HasSubstr("completed: nil"));
  EXPECT_THAT(problem(with_app("\x9a\xff\x00" + rest)), HasSubstr("completed: must be"));
  EXPECT_THAT(problem(with_app("\x99\x02\x00" + rest)), HasSubstr("app: an array of 9"));
  EXPECT_THAT(problem(with_app("\x05")), HasSubstr("app: 5: must be an array"));
  const std::string nan = "\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"s;
  EXPECT_THAT(problem(with_app("\x9a\x02\x01\x00"s + nan + kSevenNils.substr(1))),
              HasSubstr("cpu_us: must be an unsigned integer"));
  const std::string per_mille = "\x9a\x02\x01\x00"s + kSevenNils.substr(2) + "\xcd\x03\xe9\xc0"s;
  EXPECT_THAT(problem(with_app(per_mille)), HasSubstr("cpu_pressure: 1001: must be at most 1000"));
}

TEST(ReadingCodec, ImpossibleHistogramsAreNamed) {
  const std::string app = "\x9a\x02\x01\x00"s + kSevenNils;
  EXPECT_EQ(problem(with_app(app, "\xc4\x02\x28\x02"s)), "none");
  EXPECT_THAT(problem(with_app(app, "\xc4\x02\x28\x03"s)),
              HasSubstr("times: 3 service times of 2 completed"));
  EXPECT_THAT(problem(with_app(app, "\xc4\x02\xc8\x02"s)), HasSubstr("must be a bucket up to 191"));
  EXPECT_THAT(problem(with_app(app, "\x07")), HasSubstr("times: 7: must be binary data"));
}

TEST(ReadingCodec, AmountsAboveWhatAReaderAcceptsAreClamped) {
  ReplicaReading reading;
  reading.cpu = 1'000'000h;
  reading.cpu_pressure = std::numeric_limits<double>::quiet_NaN();
  const auto decoded = decode(encode(stat_with(reading)));
  ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
  EXPECT_EQ(std::get<Stat>(*decoded).reading->cpu, 1'000'000s);
  EXPECT_EQ(std::get<Stat>(*decoded).reading->cpu_pressure, 0.0);
}

}  // namespace
}  // namespace bellows::metrics
