#include "base/duration_text.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace bellows {
namespace {

using namespace std::chrono_literals;

TEST(DurationText, ReadsWhatPeopleWrite) {
  const std::vector<std::pair<const char*, Duration>> cases = {
      {"0", 0s},
      {"0s", 0s},
      {"90s", 90s},
      {"1m30s", 90s},
      {"250ms", 250ms},
      {"1.5h", 90min},
      {"2d", 48h},
      {"1d12h", 36h},
      {"1h2m3s4ms5us6ns", 1h + 2min + 3s + 4ms + 5us + Duration(6)}};
  for (const auto& [text, duration] : cases) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(*parsed, duration) << text;
  }
}

TEST(DurationText, RejectsAmbiguousText) {
  for (const char* text :
       {"", "5", "s", "-5s", "5 s", "5sec", "1s1s", "1s1m", "1.2.3s", "300000000h"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().kind(), ErrorKind::kInvalidSetting);
    EXPECT_NE(to_string(parsed.error()).find("\"" + std::string(text) + "\""), std::string::npos)
        << text;
  }
}

TEST(DurationText, PrintsTheShortestTextThatReadsBack) {
  EXPECT_EQ(duration_text(90s), "1m30s");
  EXPECT_EQ(duration_text(250ms), "250ms");
  EXPECT_EQ(duration_text(0s), "0s");
  EXPECT_EQ(duration_text(1h), "1h");
  EXPECT_EQ(duration_text(48h), "48h") << "Knative reads no days";
}

TEST(DurationText, RoundsForPeople) {
  EXPECT_EQ(rounded_duration_text(312'400us), "312ms");
  EXPECT_EQ(rounded_duration_text(1'254ms), "1.25s");
  EXPECT_EQ(rounded_duration_text(250'400ms), "4m10s");
  EXPECT_EQ(rounded_duration_text(Duration(17)), "17ns");
}

}  // namespace
}  // namespace bellows
