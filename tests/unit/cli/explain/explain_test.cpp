#include "cli/explain/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace bellows::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Asker kAsker{.now = WallTime(std::chrono::seconds(1'790'086'500)), .ahead = {}};

/// A journal of three decisions, the first at 14:13:21 UTC.
autoscaler::journal::Told journal(const std::string& calendar) {
  std::istringstream lines(R"({"at":1,"service":"web")" + calendar +
                           R"(,"snapshot":{"want":1}}
{"at":1,"spec":{"profile":"knative","target-value":10}}
{"at":1,"ready":1,"stable":5,"panic":5}
{"at":3,"ready":1,"stable":35,"panic":36}
{"at":5,"ready":4,"stable":35,"panic":36})");
  return autoscaler::journal::read_journal(lines).value();
}

const std::string kCalendar = R"(,"unix-seconds":1790086401)";

TEST(Explain, TheNewestDecisionUnlessATimeIsNamed) {
  EXPECT_THAT(explain(journal(kCalendar), "", kAsker).value(),
              StartsWith("web should have 4 replicas, since 14:13:23; 4 are ready."));
}

TEST(Explain, TheDecisionThatHeldAtATime) {
  const auto told = journal(kCalendar);
  EXPECT_THAT(explain(told, "14:13:21", kAsker).value(), StartsWith("web should have 1 replica,"));
  EXPECT_THAT(explain(told, "14:13:22", kAsker).value(), StartsWith("web should have 1 replica,"));
  EXPECT_THAT(explain(told, "14:13:23", kAsker).value(),
              HasSubstr("4 replicas, since 14:13:23; 1 is ready"));
  EXPECT_THAT(explain(told, "-1s", kAsker).value(), HasSubstr("; 4 are ready"));
}

TEST(Explain, BeforeTheJournalTellsHowFarItReaches) {
  EXPECT_EQ(to_string(explain(journal(kCalendar), "14:13:20", kAsker).error()),
            "--at \"14:13:20\": before what is remembered of web: 3 decisions from 14:13:21 to "
            "14:13:25");
}

TEST(Explain, LinesWithoutACalendarAreToldInSeconds) {
  EXPECT_THAT(explain(journal(""), "", kAsker).value(), HasSubstr("since 3s; 4 are ready"));
  EXPECT_EQ(to_string(explain(journal(""), "-5s", kAsker).error()),
            "--at \"-5s\": these lines have no calendar (unix-seconds): want seconds as in their "
            "\"at\", such as 12.5s");
}

TEST(Explain, SecondsAreThoseOfTheLines) {
  for (const char* calendar : {"", kCalendar.c_str()}) {
    const auto told = journal(calendar);
    EXPECT_THAT(explain(told, "2.9s", kAsker).value(), HasSubstr("1 replica, since"));
    EXPECT_THAT(explain(told, "3s", kAsker).value(), HasSubstr("; 1 is ready"));
    EXPECT_THAT(explain(told, "1m", kAsker).value(), HasSubstr("; 4 are ready"));
    EXPECT_THAT(to_string(explain(told, "500ms", kAsker).error()),
                StartsWith("--at \"500ms\": before what is remembered of web: 3 decisions from"));
  }
}

TEST(Explain, NothingDecidedYetIsToldSo) {
  EXPECT_EQ(
      to_string(explain({.service = "web", .decisions = {}, .calls = {}}, "", kAsker).error()),
      "web: nothing was decided yet");
}

}  // namespace
}  // namespace bellows::cli
