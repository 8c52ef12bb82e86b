// Schedules over the calendar: a night of the change to summer time and one back, told as diaries.
#include <gtest/gtest.h>

#include <string>

#include "autoscaler/core/policy/policy_list.hpp"
#include "base/timestamp_text.hpp"

namespace bellows::autoscaler {
namespace {

WallTime at(const std::string& text) {
  return *parse_timestamp(text);
}

/// One list of policies in virtual time.
class Night {
 public:
  explicit Night(const std::string& schedule)
      : list_(PolicyList::make("schedule", "{\"schedule\":" + schedule + "}").value()) {}

  /// What is wanted at that time, which never goes back.
  PodCount wanted(const std::string& time) {
    PolicySeen more;
    more.wall = at(time);
    const Observation seen;
    const TimePoint now(more.wall.time_since_epoch());
    const PolicyInput input{.now = now, .seen = seen, .more = more};
    const PolicyOutcome outcome = list_.propose(input, memories_);
    list_.remember(memories_, input, outcome);
    return outcome.proposals.front().replicas.value_or(-1);
  }
  std::string ahead(const std::string& time) const {
    PolicySeen more;
    more.wall = at(time);
    const auto lines = list_.ahead(more);
    return lines.empty() ? std::string() : lines.front();
  }

 private:
  PolicyList list_;
  PolicyMemories memories_;
};

TEST(Schedule, WarmFrom8To20InBerlinOnBothSidesOfTheChangeToSummerTime) {
  Night night(
      R"({"timezone":"Europe/Berlin","entries":[{"from":"0 8 * * *","to":"0 20 * * *","replicas":3}]})");
  // Winter time, UTC+1, until Sunday 29 March 2026, 01:00 UTC.
  EXPECT_EQ(night.wanted("2026-03-28T06:59:59Z"), 0);
  EXPECT_EQ(night.wanted("2026-03-28T07:00:00Z"), 3);
  EXPECT_EQ(night.wanted("2026-03-28T18:59:59Z"), 3);
  EXPECT_EQ(night.wanted("2026-03-28T19:00:00Z"), 0);
  EXPECT_EQ(night.wanted("2026-03-29T01:00:00Z"), 0);
  // Summer time, UTC+2: 8:00 is an hour earlier.
  EXPECT_EQ(night.wanted("2026-03-29T05:59:59Z"), 0);
  EXPECT_EQ(night.wanted("2026-03-29T06:00:00Z"), 3);
  EXPECT_EQ(night.wanted("2026-03-29T18:00:00Z"), 0);
}

TEST(Schedule, ATimeThatTheChangeSkipsIsTheInstantOfTheChange) {
  Night night(
      R"({"timezone":"Europe/Berlin","entries":[{"from":"30 2 * * *","for":"1h","replicas":2}]})");
  EXPECT_EQ(night.wanted("2026-03-29T00:59:59Z"), 0);
  EXPECT_EQ(night.wanted("2026-03-29T01:00:00Z"), 2);  // 02:00 becomes 03:00
  EXPECT_EQ(night.wanted("2026-03-29T01:59:59Z"), 2);
  EXPECT_EQ(night.wanted("2026-03-29T02:00:00Z"), 0);
}

TEST(Schedule, ATimeThatComesTwiceCountsOnce) {
  Night night(
      R"({"timezone":"Europe/Berlin","entries":[{"from":"30 2 * * *","for":"20m","replicas":2}]})");
  EXPECT_EQ(night.wanted("2026-10-25T00:29:59Z"), 0);
  EXPECT_EQ(night.wanted("2026-10-25T00:30:00Z"), 2);  // 02:30 in summer time
  EXPECT_EQ(night.wanted("2026-10-25T00:50:00Z"), 0);
  EXPECT_EQ(night.wanted("2026-10-25T01:30:00Z"), 0);  // 02:30 again, in winter time
}

TEST(Schedule, TheNextChangeIsToldAhead) {
  const Night night(
      R"({"timezone":"Europe/Berlin","entries":[{"from":"0 8 * * mon-fri","for":"12h","replicas":3}]})");
  EXPECT_EQ(night.ahead("2026-03-27T22:00:00Z"),
            "schedule: 3 from Mon 08:00 Europe/Berlin, in 56h");
  EXPECT_EQ(night.ahead("2026-03-30T07:00:00Z"),
            "schedule: 0 from Mon 20:00 Europe/Berlin, in 11h");
}

TEST(Schedule, OverlappingEntriesGiveTheirMaximum) {
  Night night(R"({"entries":[{"from":"0 8 * * *","for":"12h","replicas":3},
                             {"from":"0 12 * * *","for":"1h","replicas":9}]})");
  EXPECT_EQ(night.wanted("2026-01-05T11:59:00Z"), 3);
  EXPECT_EQ(night.wanted("2026-01-05T12:30:00Z"), 9);
  EXPECT_EQ(night.wanted("2026-01-05T13:00:00Z"), 3);
}

TEST(Cron, ErrorsNameTheFieldAndItsRange) {
  const auto error = [](const std::string& from) {
    const auto list = PolicyList::make("schedule", R"({"schedule":{"entries":[{"from":")" + from +
                                                       R"(","for":"1h","replicas":1}]}})");
    return list ? std::string() : to_string(list.error());
  };
  EXPECT_NE(error("61 8 * * *").find("the minute is \"61\""), std::string::npos)
      << error("61 8 * * *");
  EXPECT_NE(error("0 8 * *").find("five fields"), std::string::npos) << error("0 8 * *");
  EXPECT_NE(error("0 8 * * foo").find("the weekday"), std::string::npos) << error("0 8 * * foo");
  EXPECT_EQ(error("*/15 8-18 1,15 jan-jun *"), "");
}

TEST(Schedule, AnUnknownZoneIsAnErrorAndNoOtherFileIsRead) {
  for (const std::string zone : {"Mars/Base", "", "/etc/localtime", "../zoneinfo/Europe/Berlin",
                                 "file:/etc/localtime", "file:Europe/Berlin", "Europe/Berlin "}) {
    const auto list = PolicyList::make(
        "schedule", R"({"schedule":{"timezone":")" + zone +
                        R"(","entries":[{"from":"0 8 * * *","for":"1h","replicas":1}]}})");
    ASSERT_FALSE(list.has_value()) << zone;
    EXPECT_NE(to_string(list.error()).find(zone), std::string::npos);
  }
}

}  // namespace
}  // namespace bellows::autoscaler
