#include "cli/replay/windows_filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

namespace bellows::cli {
namespace {

struct WindowsOutcome {
  std::string out;
  std::string problem;
};

WindowsOutcome played(ReplayProfile profile, const std::string& lines) {
  WindowsFilter filter(profile);
  std::istringstream in(lines);
  std::ostringstream out;
  const auto fed = replay::feed(filter, in, out);
  return {out.str(), fed ? "" : to_string(fed.error())};
}

std::string problem_of(const std::string& line, ReplayProfile profile = ReplayProfile::kBellows) {
  return played(profile, "{\"window\":\"60s\"}\n" + line + "\n").problem;
}

const std::string kLostSeconds =
    "{\"window\":\"6s\",\"algorithm\":\"linear\"}\n"
    "{\"at\":1,\"record\":9}\n{\"at\":3.5,\"record\":9}\n{\"at\":3.5,\"read\":true}\n";

TEST(WindowsFilter, EachProfileTreatsAMissingSecondDifferently) {
  EXPECT_EQ(played(ReplayProfile::kBellows, kLostSeconds).out,
            "{\"at\":3.5,\"average\":9,\"empty\":false}\n");
  EXPECT_EQ(played(ReplayProfile::kKnative, kLostSeconds).out,
            "{\"at\":3.5,\"average\":6,\"empty\":false}\n");
  EXPECT_EQ(played(ReplayProfile::kSeed, kLostSeconds).out,
            "{\"at\":3.5,\"average\":9,\"empty\":false}\n");
}

TEST(WindowsFilter, AWindowOfOneSecondHoldsTheLatestValue) {
  const std::string lines =
      "{\"window\":\"1s\"}\n{\"at\":1,\"record\":4}\n{\"at\":2,\"record\":6}\n"
      "{\"at\":2.5,\"read\":true}\n";
  for (const auto profile :
       {ReplayProfile::kBellows, ReplayProfile::kKnative, ReplayProfile::kSeed}) {
    EXPECT_EQ(played(profile, lines).out, "{\"at\":2.5,\"average\":6,\"empty\":false}\n");
  }
}

TEST(WindowsFilter, BellowsAveragesAsARevisionWithOneReplica) {
  std::string lines = "{\"window\":\"6s\",\"algorithm\":\"weighted-exponential\"}\n";
  for (int s = 0; s < 6; ++s) lines += "{\"at\":" + std::to_string(s) + ",\"record\":0}\n";
  lines += "{\"at\":6,\"record\":12}\n{\"at\":6,\"read\":true}\n";
  const std::string weighted = played(ReplayProfile::kBellows, lines).out;
  EXPECT_NEAR(json::parse_line(weighted, 1)->number("average").value(), 9.416, 0.001);
  EXPECT_EQ(
      played(ReplayProfile::kBellows,
             "{\"window\":\"6s\"}\n{\"at\":1,\"record\":4}\n{\"at\":1.5,\"record\":6}\n"
             "{\"at\":1.5,\"read\":true}\n{\"at\":7,\"read\":true}\n")
          .out,
      "{\"at\":1.5,\"average\":5,\"empty\":false}\n{\"at\":7,\"average\":0,\"empty\":true}\n");
}

TEST(WindowsFilter, AWindowLineStartsANewSeriesAndMayGoBackInTime) {
  EXPECT_EQ(played(ReplayProfile::kBellows,
                   kLostSeconds + "{\"window\":\"60s\",\"algorithm\":\"weighted-exponential\"}\n"
                                  "{\"at\":0,\"read\":true}\n{\"at\":0,\"record\":10}\n"
                                  "{\"at\":0.25,\"read\":true}\n")
                .out,
            "{\"at\":3.5,\"average\":9,\"empty\":false}\n"
            "{\"at\":0,\"average\":0,\"empty\":true}\n"
            "{\"at\":0.25,\"average\":10,\"empty\":false}\n");
}

TEST(WindowsFilter, AResizeKeepsTheLatestSeconds) {
  std::string lines = "{\"window\":\"60s\"}\n";
  for (int s = 0; s < 10; ++s) {
    lines += "{\"at\":" + std::to_string(s) + ",\"record\":" + std::to_string(s) + "}\n";
  }
  lines += "{\"at\":9,\"resize\":\"4s\"}\n{\"at\":9,\"read\":true}\n";
  for (const auto profile :
       {ReplayProfile::kBellows, ReplayProfile::kKnative, ReplayProfile::kSeed}) {
    EXPECT_EQ(played(profile, lines).out, "{\"at\":9,\"average\":7.5,\"empty\":false}\n");
  }
}

TEST(WindowsFilter, KnativesWindowIsNotEmptyAfterAResizeThatKeptNothing) {
  const std::string lines =
      "{\"window\":\"20s\"}\n{\"at\":0,\"record\":12}\n{\"at\":10,\"record\":12}\n"
      "{\"at\":31,\"resize\":\"60s\"}\n{\"at\":70,\"read\":true}\n{\"at\":71,\"read\":true}\n";
  EXPECT_EQ(
      played(ReplayProfile::kKnative, lines).out,
      "{\"at\":70,\"average\":0,\"empty\":false}\n{\"at\":71,\"average\":0,\"empty\":true}\n");
}

TEST(WindowsFilter, AProblemNamesLineKeyValueAndWhatIsValid) {
  EXPECT_EQ(problem_of(R"({"at":1,"record":"5"})", ReplayProfile::kKnative),
            "line 2: record: \"5\": want a number from -1000000000000000 to 1000000000000000");
  EXPECT_EQ(problem_of(R"({"at":1,"record":1e300})", ReplayProfile::kSeed),
            "line 2: record: 1e+300: want a number from -1000000000000000 to 1000000000000000");
  EXPECT_EQ(problem_of(R"({"at":1,"record":-1})"),
            "line 2: record: -1: want a number from 0 to 1000000000");
  EXPECT_EQ(problem_of(R"({"record":5})"),
            "line 2: at: missing: want a number from 0 to 4000000000");
  EXPECT_EQ(problem_of(R"({"at":1,"read":false})"), "line 2: read: false: want true");
  EXPECT_EQ(
      problem_of(R"({"at":1,"resize":"0s"})"),
      "line 2: resize: \"0s\": want a duration of whole seconds from 1s to 1h, as text with a "
      "unit such as \"60s\"");
  EXPECT_EQ(problem_of(R"({"at":1})"),
            "line 2: no key defines its kind: a line has exactly one of window, record, "
            "read and resize");
  EXPECT_EQ(problem_of(R"({"at":1,"record":5,"read":true})"),
            "line 2: read: true: want it not beside record: a line has exactly one of window, "
            "record, read and resize");
  EXPECT_EQ(
      problem_of(R"({"window":"2h"})"),
      "line 2: window: \"2h\": want a duration of whole seconds from 1s to 1h, as text with a "
      "unit such as \"60s\"");
  EXPECT_EQ(problem_of(R"({"window":"60s","algorithm":"exponential"})"),
            "line 2: algorithm: \"exponential\": want \"linear\" or \"weighted-exponential\"");
  EXPECT_EQ(
      problem_of(R"({"window":"60s","algorithm":"weighted-exponential"})", ReplayProfile::kSeed),
      "line 2: algorithm: \"weighted-exponential\": want \"linear\": profile seed has no "
      "other");
}

TEST(WindowsFilter, AWindowLineMustComeFirst) {
  EXPECT_EQ(
      played(ReplayProfile::kKnative, "{\"at\":1,\"record\":5}\n").problem,
      "line 1: record: 5: want a line {\"window\":\"60s\",\"algorithm\":\"linear\"} before it");
}

TEST(WindowsFilter, UnknownKeysAreIgnored) {
  EXPECT_EQ(problem_of(R"({"at":1,"record":5,"comment":"x"})"), "");
}

TEST(WindowsFilter, TheGoldenFileGivesTheGoldenAnswersUnderKnative) {
  std::ifstream in(BELLOWS_GOLDEN_DIR "/windows.in.jsonl");
  std::ifstream golden(BELLOWS_GOLDEN_DIR "/windows.out.jsonl");
  std::stringstream out;
  WindowsFilter filter(ReplayProfile::kKnative);
  ASSERT_TRUE(replay::feed(filter, in, out));
  std::string ours;
  std::string theirs;
  int rows = 0;
  while (std::getline(golden, theirs)) {
    ASSERT_TRUE(std::getline(out, ours)) << "row " << rows;
    ++rows;
    if (ours == theirs) continue;
    const double expected = json::parse_line(theirs, 1)->number("average").value();
    EXPECT_NEAR(json::parse_line(ours, 1)->number("average").value(), expected,
                1e-12 * std::abs(expected))
        << "row " << rows;
  }
  EXPECT_EQ(rows, 2129);
  EXPECT_FALSE(std::getline(out, ours));
}

}  // namespace
}  // namespace bellows::cli
