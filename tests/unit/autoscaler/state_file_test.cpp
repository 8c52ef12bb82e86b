#include "autoscaler/service/state_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/autoscaler/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

using testing::HasSubstr;

constexpr Duration kWindow = std::chrono::seconds(60);

WallTime wall(std::int64_t second) {
  return WallTime(std::chrono::seconds(1'790'000'000 + second));
}

DeciderState in_panic() {
  DeciderState state = panicking_since(at(-12), 20);
  state.panic->last_over = at(-2);
  state.known_back_to = at(-60);
  state.want = 20;
  state.gaps.record(at(-900), at(-600), seconds(6));
  state.gaps.record(at(-590), at(-300), seconds(6));
  state.burstiness.index = 2.5F;
  return state;
}

SavedStates one_saved() {
  return {.saved_at = wall(0), .revisions = {{RevisionId("web"), saved(in_panic(), at(0))}}};
}

std::string error_of(const std::string& json) {
  const auto states = parse_states(json);
  return states ? "no error" : to_string(states.error());
}

TEST(StateFile, GivesBackWhatWasSaved) {
  EXPECT_EQ(parse_states(states_json(one_saved())).value(), one_saved());
}

TEST(StateFile, WhatWasLearnedAboutCallersOutlivesARestart) {
  const auto saved_states = parse_states(states_json(one_saved())).value();
  const SavedState& read = saved_states.revisions.at(RevisionId("web"));
  const DeciderState state = restored(read, wall(0), kWindow, {at(0), wall(0)});
  EXPECT_EQ(state.gaps, in_panic().gaps);
  EXPECT_THAT(state.gaps.gaps(), testing::ElementsAre(290));
  EXPECT_THAT(state.gaps.periods(), testing::ElementsAre(300));
  EXPECT_FLOAT_EQ(state.burstiness.index, 2.5);
}

TEST(StateFile, AFileFromBeforeAnythingWasLearnedIsRead) {
  const auto states =
      parse_states(R"({"version":1,"saved_at_unix_ms":1,"revisions":[{"name":"web","want":1}]})")
          .value();
  const DeciderState state =
      restored(states.revisions.at(RevisionId("web")), wall(0), kWindow, {at(0), wall(0)});
  EXPECT_FALSE(state.gaps.has_seen_a_call());
  EXPECT_EQ(state.burstiness.index, 1);
}

TEST(StateFile, NamesAGapThatIsNone) {
  EXPECT_THAT(error_of(R"({"version":1,"saved_at_unix_ms":1,"revisions":[{"name":"web","want":1,
                       "calls":{"begun_age_ms":1,"gaps":[{"gap_ms":-4,"period_ms":1}]}}]})"),
              HasSubstr("calls.gaps.gap_ms"));
}

TEST(StateFile, MovesInstantsByTheTimeThatPassedMeanwhile) {
  // Saved at 0 s; the machine was booted anew since, and three seconds went by.
  const DeciderState state =
      restored(saved(in_panic(), at(0)), wall(0), kWindow, {at(-5000), wall(3)});
  EXPECT_EQ(state.panic->last_over, at(-5000 - 2 - 3));
  EXPECT_EQ(state.panic->since, at(-5000 - 12 - 3));
  EXPECT_EQ(state.panic_max, 20);
}

TEST(StateFile, ACalendarThatWasSetBackCountsAsNoTime) {
  const DeciderState state =
      restored(saved(in_panic(), at(0)), wall(0), kWindow, {at(1), wall(-86400)});
  EXPECT_EQ(state.panic->last_over, at(1 - 2));
}

TEST(StateFile, ACalendarThatWasSetForwardCountsAsOneWindow) {
  const DeciderState state =
      restored(saved(in_panic(), at(0)), wall(0), kWindow, {at(1), wall(86400)});
  EXPECT_EQ(state.panic->last_over, at(1 - 2 - 60));
}

TEST(StateFileBroken, NamesTheFieldItsValueAndWhatIsLegal) {
  EXPECT_THAT(
      error_of(R"({"version":1,"saved_at_unix_ms":1,"revisions":[{"name":"web","want":-3}]})"),
      HasSubstr("revisions[0].want: -3, want a whole number from 0"));
  EXPECT_THAT(error_of(R"({"version":1,"saved_at_unix_ms":1,"revisions":[{"name":"web","want":1,
                           "panic":{"since_age_ms":5,"most":2}}]})"),
              HasSubstr("revisions[0].panic.last_over_age_ms: missing"));
  EXPECT_THAT(error_of(R"({"version":1,"saved_at_unix_ms":1,"revisions":[{"want":1}]})"),
              HasSubstr("revisions[0].name: missing"));
  EXPECT_THAT(error_of(R"({"version":1,"saved_at_unix_ms":"x","revisions":[]})"),
              HasSubstr("saved_at_unix_ms: \"x\""));
  EXPECT_THAT(error_of(R"({"version":1,"saved_at_unix_ms":1,"revisions":7})"),
              HasSubstr("revisions: 7, want a list"));
  EXPECT_THAT(error_of(R"({"version":1,"saved_at_unix_ms":1,"revisions":[3]})"),
              HasSubstr("revisions[0]: 3, want an object"));
}

TEST(StateFileBroken, RefusesAnotherVersion) {
  EXPECT_THAT(error_of(R"({"version":2})"), HasSubstr("version: 2, want 1"));
}

TEST(StateFileBroken, EveryCutOfAGoodFileIsAnErrorAndNothingWorse) {
  const std::string good = states_json(one_saved());
  for (std::size_t length = 0; length + 2 < good.size(); ++length) {
    EXPECT_FALSE(parse_states(good.substr(0, length))) << length;
  }
}

TEST(StateFileUnknownFields, AreIgnored) {
  EXPECT_TRUE(parse_states(R"({"version":1,"saved_at_unix_ms":1,"new":[1],"revisions":[]})"));
}

TEST(StateFileOnDisk, IsEmptyBeforeTheFirstSave) {
  const bellows::test::TemporaryFolder folder;
  EXPECT_EQ(read_state_file(folder.path("state.json")).value(), SavedStates{});
}

TEST(StateFileOnDisk, ReplacesTheOldOneAndLeavesNothingBehind) {
  const bellows::test::TemporaryFolder folder;
  const std::string path = folder.path("state.json");
  ASSERT_TRUE(write_state_file(path, {}));
  ASSERT_TRUE(write_state_file(path, one_saved()));
  EXPECT_EQ(read_state_file(path).value(), one_saved());
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST(StateFileOnDisk, ErrorsNameTheFile) {
  const bellows::test::TemporaryFolder folder;
  const std::string path = folder.path("state.json");
  std::ofstream(path) << "{";
  const auto read = read_state_file(path);
  ASSERT_FALSE(read);
  EXPECT_THAT(to_string(read.error()), HasSubstr("state file " + path));
  const auto written = write_state_file(folder.path("no/such/state.json"), {});
  ASSERT_FALSE(written);
  EXPECT_THAT(to_string(written.error()), HasSubstr("no/such/state.json.new: cannot be written"));
}

}  // namespace
}  // namespace bellows::autoscaler::test
