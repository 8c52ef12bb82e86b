#include "proxy/core/date_line.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace bellows::proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Returns a fixed time and counts the calls.
struct Calendar {
  WallTime now;
  mutable int asked = 0;
  WallTime wall_now() const {
    ++asked;
    return now;
  }
};

TEST(DateLine, HasTheFormatOfHttp) {
  const std::vector<std::pair<std::int64_t, std::string>> table = {
      {784'887'151, "Date: Tue, 15 Nov 1994 08:12:31 GMT\r\n"},
      {0, "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"},
      {951'782'399, "Date: Mon, 28 Feb 2000 23:59:59 GMT\r\n"},
      {951'782'400, "Date: Tue, 29 Feb 2000 00:00:00 GMT\r\n"},
      {1'798'761'599, "Date: Thu, 31 Dec 2026 23:59:59 GMT\r\n"}};
  for (const auto& [second, text] : table) {
    DateLine line;
    EXPECT_EQ(line.at(TimePoint(seconds(5)), Calendar{WallTime(seconds(second))}), text);
  }
}

TEST(DateLine, ChangesWhenTheWallClockSecondEnds) {
  DateLine line;
  const TimePoint start(seconds(100));
  Calendar calendar{WallTime(milliseconds(10'700))};
  const std::string first(line.at(start, calendar));
  EXPECT_EQ(line.at(start + milliseconds(299), calendar), first);
  EXPECT_EQ(calendar.asked, 1) << "nobody asks within a second";
  calendar.now = WallTime(seconds(11));
  EXPECT_EQ(line.at(start + milliseconds(300), calendar),
            "Date: Thu, 01 Jan 1970 00:00:11 GMT\r\n");
}

}  // namespace
}  // namespace bellows::proxy
