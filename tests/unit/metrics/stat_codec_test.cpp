#include "metrics/stat_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using ::testing::HasSubstr;

Stat sample_stat() {
  return {RevisionId("web"),
          PodName("web-1"),
          StatSource::kReplica,
          0x0123456789abcdef,
          7,
          12ms,
          2.5,
          4,
          9};
}

// A message as another sender might write it: fields as raw msgpack, any order, any extras.
std::string text(const std::string& value) {
  return static_cast<char>(0xa0 + value.size()) + value;
}

std::string number(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::string bytes = "\xcb";
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(bits >> shift);
  return bytes;
}

using RawFields = std::vector<std::pair<std::string, std::string>>;

RawFields raw_stat() {
  return {{"v", "\x01"},          {"type", text("stat")},      {"rev", text("web")},
          {"pod", text("web-1")}, {"source", text("replica")}, {"boot", "\x05"},
          {"seq", "\x06"},        {"age_ms", "\x07"},          {"mean", "\x02"},
          {"peak", "\x03"},       {"requests", "\x04"}};
}

std::string message(const RawFields& fields) {
  std::string bytes(1, static_cast<char>(0x80 + fields.size()));
  for (const auto& [key, value] : fields) bytes += text(key) + value;
  return bytes;
}

/// The usual stat with one field given another value, or taken away if there is none.
std::string map_with(const std::string& key, const std::string& value) {
  RawFields fields = raw_stat();
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    if (field->first != key) continue;
    if (value.empty()) {
      fields.erase(field);
    } else {
      field->second = value;
    }
    return message(fields);
  }
  fields.emplace_back(key, value);
  return message(fields);
}

Stat stat_of(const std::string& bytes) {
  const auto decoded = decode(bytes);
  if (!decoded) {
    ADD_FAILURE() << to_string(decoded.error());
    return {};
  }
  return std::get<Stat>(*decoded);
}

Error decode_error(const std::string& bytes) {
  const auto decoded = decode(bytes);
  if (decoded) {
    ADD_FAILURE() << "was taken";
    return {ErrorKind::kSystem, "", ""};
  }
  return decoded.error();
}

TEST(StatCodec, AStatComesBackAsItWas) {
  const auto decoded = decode(encode(sample_stat()));
  ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
  EXPECT_EQ(std::get<Stat>(*decoded), sample_stat());
}

TEST(StatCodec, ATriggerIsDecodedAsItWas) {
  const ScaleFromZeroTrigger trigger{RevisionId("web"), PodName("activator-1"), 99, 3};
  const auto decoded = decode(encode(trigger));
  ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
  EXPECT_EQ(std::get<ScaleFromZeroTrigger>(*decoded), trigger);
}

TEST(StatCodec, AgesAreSentInWholeMillisecondsRounded) {
  Stat stat = sample_stat();
  stat.age = 1'500'600us;
  EXPECT_EQ(stat_of(encode(stat)).age, 1501ms);
}

TEST(StatCodec, AnActivatorIsDistinguishedFromAReplica) {
  Stat stat = sample_stat();
  stat.source = StatSource::kActivator;
  EXPECT_EQ(stat_of(encode(stat)).source, StatSource::kActivator);
}

TEST(StatCodec, ReplicasThatAnActivatorCannotReachAreAFieldThatIsSentOnlyThen) {
  Stat stat = sample_stat();
  EXPECT_EQ(encode(stat).find("unreachable"), std::string::npos);
  stat.source = StatSource::kActivator;
  stat.unreachable = 3;
  EXPECT_EQ(stat_of(encode(stat)), stat);
}

TEST(StatCodecForeignSender, TheOrderOfFieldsDoesNotMatter) {
  RawFields fields = raw_stat();
  std::swap(fields.front(), fields.back());
  EXPECT_TRUE(decode(message(fields)).has_value());
}

TEST(StatCodecForeignSender, UnknownFieldsAreSkippedWhateverTheyHold) {
  const std::string nested = "\x92\x81\xa1k\xc0\xc4\x02zz"s;  // [{"k": nil}, bin "zz"]
  for (const auto& value : {"\xc0"s, "\xff"s, text("later"), nested, number(1.5), "\x90"s}) {
    const auto decoded = decode(map_with("zone", value));
    EXPECT_TRUE(decoded.has_value()) << to_string(decoded.error());
  }
}

TEST(StatCodecForeignSender, LoadMayBeAnIntegerOrAFloatOfAnyWidth) {
  EXPECT_EQ(stat_of(map_with("mean", "\x05")).concurrency, 5);
  EXPECT_EQ(stat_of(map_with("mean", number(0.25))).concurrency, 0.25);
  EXPECT_EQ(stat_of(map_with("mean", "\xca\x3f\x00\x00\x00"s)).concurrency, 0.5);
}

TEST(StatCodecForeignSender, IntegersMayBeWiderThanTheyNeedBeOrSigned) {
  EXPECT_EQ(stat_of(map_with("seq", "\xd3\0\0\0\0\0\0\0\x2a"s)).sequence, 42U);
  EXPECT_EQ(stat_of(map_with("seq", "\xce\0\0\0\x2a"s)).sequence, 42U);
}

TEST(StatCodecBadField, EachIsRejectedByNameWithItsValueAndWhatIsValid) {
  struct Case {
    const char* field;
    std::string value;
    const char* shown;
  };
  const std::vector<Case> cases = {
      {"rev", text(""), "\"\": must be a string of 1 to 317"},
      {"rev", text("a b"), "\"a b\": must be"},
      {"pod", text("a\nb"), "\"a?b\": must be"},
      {"pod", "\xd9\xfe"s + std::string(254, 'x'), "(254 bytes): must be"},
      {"pod", "\xc4\x01x"s, "binary data: must be a string"},
      {"pod", "\x07", "7: must be a string"},
      {"source", text("router"), "\"router\": must be \"replica\" or \"activator\""},
      {"source", "\xc0", "nil: must be"},
      {"type", text("hello"),
       "\"hello\": must be \"stat\", \"wake\", \"settings\" or \"settings-taken\""},
      {"type", "\x91\x01", "an array: must be"},
      {"boot", "\xff", "-1: must be an unsigned"},
      {"seq", text("7"), "\"7\": must be an unsigned"},
      {"seq", number(7.5), "7.5"},
      {"age_ms", "\xff", "-1: must be an integer from 0 to 86400000"},
      {"age_ms", "\xce\x05\x26\x5c\x01", "86400001: must be"},
      {"mean", number(-0.5), "-0.5"},
      {"mean", "\xff", "-1: must be a number from 0 to 1e9"},
      {"mean", number(std::nan("")), "nan: must be a number"},
      {"mean", number(std::numeric_limits<double>::infinity()), "inf: must be a number"},
      {"peak", number(1.1e9), "1100000000"},
      {"peak", "\xc3", "true: must be a number"},
      {"requests", "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615: must be"},
      {"requests", number(1), "1.000000: must be an integer"},
      {"requests", "\x81\x01\x02", "a map: must be an integer"},
      {"unreachable", "\xce\x3b\x9a\xca\x01", "1000000001: must be an integer from 0"},
      {"v", text("1"), "\"1\": must be the integer 1"},
  };
  for (const Case& one : cases) {
    const Error error = decode_error(map_with(one.field, one.value));
    EXPECT_EQ(error.kind(), ErrorKind::kMalformed) << to_string(error);
    EXPECT_EQ(error.culprit(), one.field) << to_string(error);
    EXPECT_THAT(error.message(), HasSubstr(one.shown));
  }
}

TEST(StatCodecBadField, EachMissingOneIsNamed) {
  for (const auto& [key, value] : raw_stat()) {
    const Error error = decode_error(map_with(key, ""));
    EXPECT_EQ(error.kind(), ErrorKind::kMalformed);
    EXPECT_EQ(error.culprit(), key);
    EXPECT_THAT(error.message(), HasSubstr("missing"));
  }
}

TEST(StatCodecBadField, OneGivenTwiceIsRejected) {
  RawFields fields = raw_stat();
  fields.emplace_back("pod", text("web-2"));
  const Error error = decode_error(message(fields));
  EXPECT_EQ(to_string(error), "pod: given twice; must be given once");
}

TEST(StatCodecVersion, AnotherOneIsNamedTogetherWithOurs) {
  const Error error = decode_error(map_with("v", "\x02"));
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(to_string(error), "v: version 2: this side speaks version 1");
}

TEST(StatCodecBadMessage, IsRejectedWithAReason) {
  const std::string good = encode(sample_stat());
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"", "ends after byte 0"},
      {good.substr(0, good.size() - 1), "in the middle of a value"},
      {good + "\x01", "1 bytes after the map"},
      {good + good, "bytes after the map"},
      {"\xc1", "byte 0 starts no msgpack value"},
      {"\x07", "a bare value; must be one map"},
      {text("stat"), "a bare value; must be one map"},
      {"\x92\x01\x02", "a bare value; must be one map"},
      {"\x81\x01\x02", "a key that is no string"},
      {"\x81\x91\x01\x02", "a key that is no string"},
      {"GET / HTTP/1.1\r\n\r\n", "a bare value"},
      {"{\"v\":1}", "a bare value"},
  };
  for (const auto& [bytes, reason] : cases) {
    const Error error = decode_error(bytes);
    EXPECT_EQ(error.kind(), ErrorKind::kMalformed);
    EXPECT_EQ(error.culprit(), "message");
    EXPECT_THAT(error.message(), HasSubstr(reason));
  }
}

TEST(StatCodecHugeClaims, AreRejectedBeforeAnythingIsKept) {
  EXPECT_THAT(decode_error("\xdf\xff\xff\xff\xff").message(),
              HasSubstr("a map of 4294967295 fields"));
  EXPECT_THAT(decode_error(map_with("zone", "\xdd\xff\xff\xff\xff")).message(),
              HasSubstr("an array of 4294967295 entries"));
  EXPECT_THAT(decode_error(map_with("zone", std::string(2000, '\x91'))).message(),
              HasSubstr("nested deeper than 4"));
  EXPECT_THAT(decode_error(map_with("zone", "\xdb\xff\xff\xff\xff")).message(),
              HasSubstr("in the middle of a value"));
  const Error error = decode_error(std::string(5000, '\x01'));
  EXPECT_EQ(error.kind(), ErrorKind::kTooLarge);
}

TEST(StatCodec, TakesTheLongestNamesAndNoLongerOnes) {
  Stat stat = sample_stat();
  stat.revision = RevisionId(std::string(63, 'n') + "/" + std::string(253, 'r'));
  stat.pod = PodName(std::string(253, 'p'));
  ASSERT_EQ(stat.revision.text().size(), 317u);
  const auto decoded = decode(encode(stat));
  ASSERT_TRUE(decoded.has_value()) << to_string(decoded.error());
  EXPECT_EQ(std::get<Stat>(*decoded), stat);
  ScaleFromZeroTrigger trigger{.revision = stat.revision, .pod = stat.pod, .boot = 1, .waiting = 2};
  ASSERT_TRUE(decode(encode(trigger)).has_value());
  const auto text = [](std::size_t size) {
    return std::string("\xda") + static_cast<char>(size >> 8) + static_cast<char>(size & 0xff) +
           std::string(size, 'x');
  };
  EXPECT_THAT(decode_error(map_with("rev", text(318))).message(),
              HasSubstr("(318 bytes): must be"));
  EXPECT_THAT(decode_error(map_with("pod", text(254))).message(),
              HasSubstr("(254 bytes): must be"));
}

TEST(StatCodecDeathTest, ANegativeLoadOfOurOwnIsOurDefect) {
  Stat stat = sample_stat();
  stat.concurrency = -1;
  EXPECT_DEATH(encode(stat), "a meter's reading is a load");
}

RC_GTEST_PROP(StatCodecProperty, WhateverASourceReportsIsDecoded, ()) {
  Stat stat;
  const auto name =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('!', '\x7f')));
  stat.revision = RevisionId((*name).substr(0, kMaxRevisionBytes));
  stat.pod = PodName((*name).substr(0, kMaxPodBytes));
  stat.source = *rc::gen::element(StatSource::kReplica, StatSource::kActivator);
  stat.boot = *rc::gen::arbitrary<std::uint64_t>();
  stat.sequence = *rc::gen::arbitrary<std::uint64_t>();
  stat.age = std::chrono::milliseconds(*rc::gen::inRange(0, 86'400'001));
  stat.concurrency = *rc::gen::inRange(0, 1'000'000) / 1024.0;
  stat.peak = *rc::gen::inRange(0, 1'000'000'001);
  stat.requests = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1'000'000'001));
  stat.unreachable = static_cast<std::uint64_t>(*rc::gen::inRange(0, 1'000'000'001));
  const auto decoded = decode(encode(stat));
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(std::get<Stat>(*decoded) == stat);
}

RC_GTEST_PROP(StatCodecProperty, AnyBytesGiveAMessageOrAnErrorAndNothingElse, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto decoded = decode(bytes);
  RC_ASSERT(decoded.has_value() || !decoded.error().message().empty());
}

RC_GTEST_PROP(StatCodecProperty, ADamagedMessageNeverGivesAValueOutOfRange, ()) {
  std::string bytes = encode(sample_stat());
  const int damages = *rc::gen::inRange(1, 4);
  for (int i = 0; i < damages; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = *rc::gen::arbitrary<char>();
  }
  const auto decoded = decode(bytes);
  if (!decoded || !std::holds_alternative<Stat>(*decoded)) return;
  const Stat& stat = std::get<Stat>(*decoded);
  RC_ASSERT(stat.concurrency >= 0 && stat.concurrency <= kMaxConcurrency);
  RC_ASSERT(stat.peak >= 0 && stat.peak <= kMaxConcurrency);
  RC_ASSERT(stat.age >= Duration::zero() && stat.age <= kMaxAge);
  RC_ASSERT(!stat.pod.empty() && stat.pod.text().size() <= kMaxPodBytes);
}

}  // namespace
}  // namespace bellows::metrics
