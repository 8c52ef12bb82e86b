// Settings on their way to a queue-proxy, and its answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "metrics/stat_codec.hpp"

namespace bellows::metrics {
namespace {

using testing::HasSubstr;

SettingsOrder order(NamedTexts settings = {{"container-concurrency", "1"}, {"queue-age", "5s"}}) {
  return {.revision = RevisionId("shop/web"),
          .pod = PodName("web-1"),
          .generation = 7,
          .settings = std::move(settings)};
}

SettingsTaken taken(NamedTexts refused = {{"drain-timeout", "it stays 25s"}},
                    NamedTexts own = {{"revision-timeout", "30s"}}) {
  return {.revision = RevisionId("shop/web"),
          .pod = PodName("web-1"),
          .generation = 7,
          .refused = std::move(refused),
          .own = std::move(own)};
}

template <class T>
T decoded(const std::string& bytes) {
  const auto read = decode(bytes, kMaxOrderBytes);
  if (!read) ADD_FAILURE() << to_string(read.error());
  return read ? std::get<T>(*read) : T();
}

TEST(SettingsCodec, AnOrderAndItsAnswerComeBack) {
  EXPECT_EQ(decoded<SettingsOrder>(encode(order())), order());
  EXPECT_EQ(decoded<SettingsOrder>(encode(order({}))), order({})) << "all settings are gone";
  EXPECT_EQ(decoded<SettingsTaken>(encode(taken())), taken());
  EXPECT_EQ(decoded<SettingsTaken>(encode(taken({}, {}))), taken({}, {}));
}

TEST(SettingsCodec, ControlCharactersAreNotSent) {
  const auto read = decoded<SettingsTaken>(encode(taken({{"queue-age", "a\nb\x7f"}})));
  EXPECT_EQ(read.refused.front().second, "a?b?");
}

TEST(SettingsCodec, WhatIsTooLongOrTooMuchIsLeftOut) {
  NamedTexts many;
  for (int i = 0; i < 100; ++i) many.emplace_back("s-" + std::to_string(i), std::string(2000, 'x'));
  EXPECT_LE(encode(order(many)).size(), kMaxOrderBytes);
  EXPECT_EQ(decoded<SettingsOrder>(encode(order(many))).settings.size(), 8U);
  EXPECT_LE(encode(taken(many, many)).size(), kMaxMessageBytes);
  EXPECT_EQ(decoded<SettingsTaken>(encode(taken(many, many))).refused.size(), 2U);
  const auto read = decoded<SettingsOrder>(
      encode(order({{std::string(65, 'n'), "1"}, {"a", std::string(4097, 'v')}, {"b", "2"}})));
  EXPECT_EQ(read.settings, (NamedTexts{{"b", "2"}}));
}

std::string text(const std::string& bytes) {
  return static_cast<char>(0xa0 + bytes.size()) + bytes;
}

/// An order whose field `set` has this value.
std::string with_settings(const std::string& value, const std::string& key = "set") {
  return "\x86" + text("v") + '\x01' + text("type") + text("settings") + text("rev") + text("web") +
         text("pod") + text("web-1") + text("gen") + '\x07' + text(key) + value;
}

struct HostileCase {
  std::string name;
  std::string bytes;
  std::string want;
};

class HostileSettings : public testing::TestWithParam<HostileCase> {};

TEST_P(HostileSettings, AreRefusedWithTheField) {
  const auto read = decode(GetParam().bytes, kMaxOrderBytes);
  ASSERT_FALSE(read);
  EXPECT_THAT(to_string(read.error()), HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    Table, HostileSettings,
    testing::Values(
        HostileCase{"NoMap", with_settings("\x01"), "set: 1: must be a map"},
        HostileCase{"AnArray", with_settings("\x91\x01"), "set: an array: must be a map"},
        HostileCase{"ANumberAsValue", with_settings("\x81" + text("a") + '\x05'),
                    "set: has a name"},
        HostileCase{"ANumberAsName", with_settings("\x81\x05" + text("a")), "set: has a name"},
        HostileCase{"NilAsValue", with_settings("\x81" + text("a") + '\xc0'), "set: has a name"},
        HostileCase{"BinaryAsValue", with_settings("\x81" + text("a") + "\xc4\x01x"),
                    "set: has a name"},
        HostileCase{"AMapAsValue", with_settings("\x81" + text("a") + '\x80'), "set: has a name"},
        HostileCase{"AnEmptyName", with_settings("\x81" + text("") + text("x")), "must be a name"},
        HostileCase{"ANameWithABlank", with_settings("\x81" + text("a b") + text("x")),
                    "must be a name"},
        HostileCase{"ANameTwice",
                    with_settings("\x82" + text("a") + text("x") + text("a") + text("y")),
                    "given twice"},
        HostileCase{"AControlCharacter", with_settings("\x81" + text("a") + text("x\ny")),
                    "must be a text"},
        HostileCase{"TooMany", with_settings(std::string("\xde\x00\x21", 3)),
                    "at most 32 are read"},
        HostileCase{"Truncated", with_settings("\x81" + text("a")), "in the middle of a value"},
        HostileCase{"Missing", with_settings("\x80", "sot"), "set: missing"},
        HostileCase{"TooLarge", with_settings("\x80") + std::string(kMaxOrderBytes, 'x'),
                    "at most 16384 are read"}),
    [](const auto& row) { return row.param.name; });

TEST(SettingsCodec, AStatMayHaveSuchFieldsOfALaterVersionToo) {
  Stat stat;
  stat.revision = RevisionId("web");
  stat.pod = PodName("web-1");
  std::string bytes = encode(stat);
  ++bytes[0];
  bytes += text("own") + "\x81" + text("a") + text("b");
  EXPECT_EQ(decoded<Stat>(bytes), stat);
}

}  // namespace
}  // namespace bellows::metrics
