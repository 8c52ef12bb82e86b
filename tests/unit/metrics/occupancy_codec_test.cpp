// What a replica says of itself in a stat: fields that older programs do not have.
#include <gtest/gtest.h>

#include <string>

#include "metrics/stat_codec.hpp"

namespace bellows::metrics {
namespace {

Stat plain_stat() {
  Stat stat;
  stat.revision = RevisionId("web");
  stat.pod = PodName("web-1");
  stat.boot = 5;
  stat.sequence = 7;
  stat.concurrency = 2;
  return stat;
}

Stat decoded(const std::string& bytes) {
  const auto read = decode(bytes);
  if (read) return std::get<Stat>(*read);
  ADD_FAILURE() << to_string(read.error());
  return {};
}

/// `bytes` with one more field, whose value is one byte.
std::string with_field(std::string bytes, const std::string& key, char value) {
  ++bytes[0];  // a map of fewer than 15 fields has their number in its first byte
  return bytes + static_cast<char>(0xa0 + key.size()) + key + value;
}

std::string error_of(const std::string& bytes) {
  const auto read = decode(bytes);
  return read ? std::string() : to_string(read.error());
}

TEST(OccupancyCodec, WhatAReplicaSaysOfItselfComesBack) {
  Stat stat = plain_stat();
  stat.is_occupied = true;
  EXPECT_EQ(decoded(encode(stat)), stat);
  stat.counter = ReplicaCounter{.count = 3.5, .capacity = 10};
  EXPECT_EQ(decoded(encode(stat)), stat);
  stat.is_occupied = false;
  EXPECT_EQ(decoded(encode(stat)), stat);
}

TEST(OccupancyCodec, AReplicaThatSaysNothingSendsTheBytesOfBefore) {
  const std::string bytes = encode(plain_stat());
  for (const char* field : {"occupied", "count", "capacity"}) {
    EXPECT_EQ(bytes.find(field), std::string::npos) << field;
  }
  const Stat stat = decoded(bytes);
  EXPECT_FALSE(stat.is_occupied);
  EXPECT_EQ(stat.counter, std::nullopt);
}

TEST(OccupancyCodec, AnOlderProgramSkipsTheFieldsAsItSkipsAnyOther) {
  // What an older program does with "occupied" is what this one does with a field of a later one.
  const std::string later = with_field(encode(plain_stat()), "reserved", 1);
  EXPECT_EQ(decoded(later), plain_stat());
}

TEST(OccupancyCodec, OtherValuesAreNamed) {
  const std::string bytes = encode(plain_stat());
  EXPECT_NE(error_of(with_field(bytes, "occupied", 2)).find("occupied"), std::string::npos);
  EXPECT_NE(error_of(with_field(bytes, "count", static_cast<char>(0xff))).find("count"),
            std::string::npos)
      << "-1";
}

TEST(OccupancyCodec, ACapacityAloneIsACounterOfNone) {
  const Stat stat = decoded(with_field(encode(plain_stat()), "capacity", 10));
  ASSERT_TRUE(stat.counter.has_value());
  EXPECT_EQ(stat.counter->count, 0);
  EXPECT_EQ(stat.counter->capacity, 10);
}

}  // namespace
}  // namespace bellows::metrics
