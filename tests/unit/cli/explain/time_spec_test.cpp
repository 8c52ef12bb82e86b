#include "cli/explain/time_spec.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace bellows::cli {
namespace {

/// 2026-11-21T14:03:05Z; local time is UTC + 1 h.
constexpr WallTime kNow{
    std::chrono::sys_days(std::chrono::year_month_day{std::chrono::year(2026),
                                                      std::chrono::month(11), std::chrono::day(21)})
        .time_since_epoch() +
    std::chrono::hours(14) + std::chrono::minutes(3) + std::chrono::seconds(5)};
constexpr Duration kEast = std::chrono::hours(1);

struct Row {
  const char* typed;
  const char* meant;  ///< in UTC; nullptr: not understood
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.typed;
}

class TimeSpecs : public testing::TestWithParam<Row> {};

TEST_P(TimeSpecs, AreReadInLocalTime) {
  const auto time = parse_time_spec(GetParam().typed, kNow, kEast);
  if (GetParam().meant == nullptr) {
    EXPECT_FALSE(time);
  } else {
    ASSERT_TRUE(time);
    EXPECT_EQ(local_time_text(*time, WallTime(), Duration(0)), GetParam().meant);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, TimeSpecs,
    testing::Values(
        //  typed (local: UTC + 1 h)            meant
        Row{"15:03:05", "2026-11-21 14:03:05"}, Row{"15:03:06", "2026-11-20 14:03:06"},
        Row{"09:30", "2026-11-21 08:30:00"}, Row{"00:10:00", "2026-11-20 23:10:00"},
        Row{"-5m", "2026-11-21 13:58:05"}, Row{"-1h30m", "2026-11-21 12:33:05"},
        Row{"2026-11-21T14:03:05Z", "2026-11-21 14:03:05"},
        Row{"2026-11-21 14:03:05.250", "2026-11-21 13:03:05"},
        Row{"2026-11-21T14:03:05-05:30", "2026-11-21 19:33:05"},
        Row{"2026-11-21t14:03:05.5+02:00", "2026-11-21 12:03:05"}, Row{"", nullptr},
        Row{"noon", nullptr}, Row{"24:00", nullptr}, Row{"14:60", nullptr}, Row{"14:3", nullptr},
        Row{"14:03:05x", nullptr}, Row{"5m", nullptr}, Row{"-5", nullptr},
        Row{"2026-02-30T00:00:00Z", nullptr}, Row{"2026-11-21T14:03:05+2", nullptr},
        Row{"2026-11-21", nullptr}, Row{"-1:-2", nullptr}));

TEST(TimeSpecProblem, ListsTheValidForms) {
  EXPECT_EQ(to_string(parse_time_spec("noon", kNow, kEast).error()),
            "--at: \"noon\": want a time of day (14:03:05), a duration ago (-30s), date and time "
            "(2026-11-21T14:03:05, followed by Z or +01:00 if it is not local), or "
            "seconds as in the \"at\" of a journal (12.5s)");
}

TEST(LocalTimeText, HasTheDateOnlyOnAnotherDay) {
  EXPECT_EQ(local_time_text(kNow, kNow, kEast), "15:03:05");
  EXPECT_EQ(local_time_text(kNow - std::chrono::hours(24), kNow, kEast), "2026-11-20 15:03:05");
}

}  // namespace
}  // namespace bellows::cli
