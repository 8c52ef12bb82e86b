#include "cli/explain/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace bellows::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const LocalTime kLocal{.now = WallTime(std::chrono::seconds(1'790'086'500)), .utc_offset = {}};

/// A journal of three decisions, the first at 14:13:21 UTC.
autoscaler::journal::JournalContents journal(const std::string& calendar) {
  std::istringstream lines(R"({"at":1,"service":"web")" + calendar +
                           R"(,"snapshot":{"want":1}}
{"at":1,"spec":{"profile":"knative","target-value":10}}
{"at":1,"ready":1,"stable":5,"panic":5}
{"at":3,"ready":1,"stable":35,"panic":36}
{"at":5,"ready":4,"stable":35,"panic":36})");
  return autoscaler::journal::read_journal(lines).value();
}

const std::string kCalendar = R"(,"unix-seconds":1790086401)";

TEST(Explain, TheLatestDecisionByDefault) {
  EXPECT_THAT(explain(journal(kCalendar), "", kLocal).value(),
              StartsWith("web should have 4 replicas, since 14:13:23; 4 are ready."));
}

TEST(Explain, TheDecisionInForceAtATime) {
  const auto decisions = journal(kCalendar);
  EXPECT_THAT(explain(decisions, "14:13:21", kLocal).value(),
              StartsWith("web should have 1 replica,"));
  EXPECT_THAT(explain(decisions, "14:13:22", kLocal).value(),
              StartsWith("web should have 1 replica,"));
  EXPECT_THAT(explain(decisions, "14:13:23", kLocal).value(),
              HasSubstr("4 replicas, since 14:13:23; 1 is ready"));
  EXPECT_THAT(explain(decisions, "-1s", kLocal).value(), HasSubstr("; 4 are ready"));
}

TEST(Explain, ATimeBeforeTheJournalIsReportedWithItsBeginning) {
  EXPECT_EQ(to_string(explain(journal(kCalendar), "14:13:20", kLocal).error()),
            "--at \"14:13:20\": before the journal of web, which begins at 14:13:21");
}

/// The process of the first three decisions ends at 14:13:27, and the next one begins at 14:13:31.
autoscaler::journal::JournalContents two_processes(const std::string& ended) {
  std::istringstream lines(
      R"({"at":1,"service":"web","unix-seconds":1790086401,"snapshot":{"want":1}}
{"at":1,"spec":{"profile":"knative","target-value":10}}
{"at":1,"ready":1,"stable":5,"panic":5}
{"at":5,"ready":1,"stable":5,"panic":5}
{"at":7,"ended":")" +
      ended + R"("}
{"at":11,"service":"web","unix-seconds":1790086411,"new":true,"snapshot":{"want":1}}
{"at":11,"spec":{"profile":"knative","target-value":10}}
{"at":11,"ready":1,"stable":5,"panic":5})");
  return autoscaler::journal::read_journal(lines).value();
}

TEST(Explain, WhatAKilledProcessDecidedLastIsNotKnown) {
  const auto decisions = two_processes("killed");
  EXPECT_THAT(explain(decisions, "14:13:26", kLocal).value(), StartsWith("web should have 1"));
  EXPECT_THAT(to_string(explain(decisions, "14:13:28", kLocal).error()),
              StartsWith("--at \"14:13:28\": not known: Bellows ended without writing its day "
                         "after 14:13:27"));
  EXPECT_THAT(explain(decisions, "14:13:31", kLocal).value(),
              HasSubstr("since 14:13:31 or longer"));
}

TEST(Explain, WhileBellowsDidNotRunNothingWasDecided) {
  const auto decisions = two_processes("stopped");
  EXPECT_EQ(to_string(explain(decisions, "14:13:28", kLocal).error()),
            "--at \"14:13:28\": Bellows did not run then: it ended at 14:13:27");
  EXPECT_THAT(explain(decisions, "14:13:31", kLocal).value(), HasSubstr("since 14:13:21"));
}

TEST(Explain, LinesWithoutACalendarAreShownInSeconds) {
  EXPECT_THAT(explain(journal(""), "", kLocal).value(), HasSubstr("since 3s; 4 are ready"));
  EXPECT_EQ(to_string(explain(journal(""), "-5s", kLocal).error()),
            "--at \"-5s\": this journal has no calendar (unix-seconds): want seconds as in its "
            "\"at\", such as 12.5s");
}

TEST(Explain, SecondsArePositionsInTheLines) {
  for (const char* calendar : {"", kCalendar.c_str()}) {
    const auto decisions = journal(calendar);
    EXPECT_THAT(explain(decisions, "2.9s", kLocal).value(), HasSubstr("1 replica, since"));
    EXPECT_THAT(explain(decisions, "3s", kLocal).value(), HasSubstr("; 1 is ready"));
    EXPECT_THAT(explain(decisions, "1m", kLocal).value(), HasSubstr("; 4 are ready"));
    EXPECT_THAT(to_string(explain(decisions, "500ms", kLocal).error()),
                StartsWith("--at \"500ms\": before the journal of web, which begins at"));
  }
}

TEST(Explain, AnEmptyJournalIsAnError) {
  EXPECT_EQ(
      to_string(explain({.service = "web", .revisions = {}, .decisions = {}, .idle_times = {}}, "",
                        kLocal)
                    .error()),
      "web: no decision has been made yet");
}

}  // namespace
}  // namespace bellows::cli
