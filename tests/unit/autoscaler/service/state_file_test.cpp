#include "autoscaler/service/state_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <type_traits>

#include "autoscaler/journal/fields.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"
#include "tests/unit/autoscaler/core/states_json.hpp"

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
  state.replicas = 20;
  state.idle_times.record(at(-900), at(-600), seconds(6));
  state.idle_times.record(at(-590), at(-300), seconds(6));
  state.service_seconds = 2.5F;
  return state;
}

SavedStates one_saved() {
  return {.at = {at(0), wall(0)}, .revisions = {{RevisionId("web"), in_panic()}}};
}

/// What a file says of `web`, on the time line on which it was saved.
DeciderState read_back(const std::string& json) {
  const SavedStates states = parse_states(json).value();
  return restored(states.at, states.revisions.at(RevisionId("web")), kWindow,
                  {at(0), states.at.wall});
}

std::string error_of(const std::string& json) {
  const auto states = parse_states(json);
  return states ? "no error" : to_string(states.error());
}

TEST(StateFile, GivesBackWhatWasSaved) {
  const SavedStates states = parse_states(states_json(one_saved())).value();
  EXPECT_EQ(states.at.wall, wall(0));
  EXPECT_EQ(read_back(states_json(one_saved())), in_panic());
}

/// Gives every field a value that an empty state does not have.
struct Filler {
  std::int64_t next = 3;

  void operator()(std::string_view, TimePoint& field) { field = at(-next++); }
  void operator()(std::string_view, bool& field) { field = !field; }
  void operator()(std::string_view, Serving& field) { field = Serving::kActivating; }
  template <class T>
  void operator()(std::string_view key, std::optional<T>& field) {
    (*this)(key, field.emplace());
  }
  template <class T>
  void operator()(std::string_view, T& field) {
    if constexpr (std::is_arithmetic_v<T>) {
      field = static_cast<T>(next++);
    } else {
      journal::for_each_field(field, *this);
    }
  }
};

TEST(StateFile, ForgetsNoFieldOfWhatIsRemembered) {
  SavedStates states = one_saved();
  DeciderState& state = states.revisions.at(RevisionId("web"));
  Filler filler;
  journal::for_each_field(static_cast<Memory&>(state), filler);
  state.delay.record(at(-40), 30, seconds(60));
  state.delay.record(at(-2), 20, seconds(60));
  EXPECT_EQ(read_back(states_json(states)), state);
}

TEST(StateFile, AFileWithoutTheFieldsThatCameLaterIsRead) {
  const DeciderState state = read_back(
      R"({"version":2,"saved_at_unix_ms":1,"revisions":[{"name":"web","state":{"want":4}}]})");
  EXPECT_EQ(state.replicas, 4);
  EXPECT_EQ(state.last_load, at(0));
  EXPECT_FALSE(state.idle_times.has_seen_request());
  EXPECT_EQ(state.service_seconds, 0);
}

DeciderState restored_at(TimePoint now, WallTime wall_now) {
  const SavedStates saved = one_saved();
  return restored(saved.at, saved.revisions.at(RevisionId("web")), kWindow, {now, wall_now});
}

TEST(StateFile, MovesInstantsByTheTimeThatPassedMeanwhile) {
  // Saved at 0 s; the machine was booted anew since, and three seconds went by.
  const DeciderState state = restored_at(at(-5000), wall(3));
  EXPECT_EQ(state.panic->last_over, at(-5000 - 2 - 3));
  EXPECT_EQ(state.panic->since, at(-5000 - 12 - 3));
  EXPECT_EQ(state.panic_max, 20);
  EXPECT_EQ(state.idle_times.busy_since(), at(-5000 - 300 - 3));
}

TEST(StateFile, ACalendarThatWasSetBackCountsAsNoTime) {
  EXPECT_EQ(restored_at(at(1), wall(-86400)).panic->last_over, at(1 - 2));
}

TEST(StateFile, ACalendarThatWasSetForwardCountsAsOneWindow) {
  EXPECT_EQ(restored_at(at(1), wall(86400)).panic->last_over, at(1 - 2 - 60));
}

TEST(StateOfOneRevision, GivesBackWhatWasSavedAndWhen) {
  const std::string json = state_json({.at = {at(0), wall(0)}, .state = in_panic()});
  EXPECT_THAT(json, testing::Not(HasSubstr("\n")));
  const auto saved = parse_state(json);
  ASSERT_TRUE(saved.has_value()) << to_string(saved.error());
  EXPECT_EQ(saved->at.wall, wall(0));
  EXPECT_EQ(restored(saved->at, saved->state, kWindow, {at(0), wall(0)}), in_panic());
}

TEST(StateOfOneRevision, ThatCannotBeReadNamesTheField) {
  const auto error = [](const std::string& json) {
    const auto saved = parse_state(json);
    return saved ? std::string("accepted") : to_string(saved.error());
  };
  EXPECT_THAT(error("{"), HasSubstr("line 1"));
  EXPECT_THAT(error(R"({"version":3,"saved_at_unix_ms":1,"state":{}})"), HasSubstr("3, want 2"));
  EXPECT_THAT(error(R"({"version":2,"state":{}})"), HasSubstr("saved_at_unix_ms"));
  EXPECT_THAT(error(R"({"version":2,"saved_at_unix_ms":1,"state":{"want":-3}})"),
              HasSubstr("state.want: -3: want a whole number from 0"));
}

TEST(StateFileBroken, NamesTheFieldItsValueAndWhatIsValid) {
  const auto error_in_state = [](const std::string& state) {
    return error_of(R"({"version":2,"saved_at_unix_ms":1,"revisions":[{"name":"web","state":)" +
                    state + "}]}");
  };
  EXPECT_THAT(error_in_state(R"({"want":-3})"),
              HasSubstr("revisions[0].state.want: -3: want a whole number from 0"));
  EXPECT_THAT(error_in_state(R"({"activity":{"state":"idle"}})"),
              HasSubstr("revisions[0].state.activity.state: \"idle\": want one of inactive"));
  EXPECT_THAT(error_in_state(R"({"calls":{"begun-age":1,"gaps":[{"gap":-4,"period":1}]}})"),
              HasSubstr("revisions[0].state.calls.gaps[0].gap: -4: want"));
  EXPECT_THAT(error_in_state(R"({"panic":{"since-age":"now"}})"),
              HasSubstr("revisions[0].state.panic.since-age: \"now\": want"));
  EXPECT_THAT(error_of(R"({"version":2,"saved_at_unix_ms":1,"revisions":[{"name":"web"}]})"),
              HasSubstr("revisions[0].state: "));
  EXPECT_THAT(error_of(R"({"version":2,"saved_at_unix_ms":1,"revisions":[{"state":{}}]})"),
              HasSubstr("revisions[0].name: "));
  EXPECT_THAT(error_of(R"({"version":2,"saved_at_unix_ms":"x","revisions":[]})"),
              HasSubstr("saved_at_unix_ms: \"x\": want"));
  EXPECT_THAT(error_of(R"({"version":2,"saved_at_unix_ms":1,"revisions":7})"),
              HasSubstr("revisions: 7: want a list"));
  EXPECT_THAT(error_of(R"({"version":2,"saved_at_unix_ms":1,"revisions":[3]})"),
              HasSubstr("revisions: "));
}

TEST(StateFileBroken, RejectsAnotherVersion) {
  EXPECT_THAT(error_of(R"({"version":3})"), HasSubstr("version: 3, want 2"));
}

TEST(StateFileBroken, EveryCutOfAGoodFileIsAnErrorAndNothingWorse) {
  const std::string good = states_json(one_saved());
  for (std::size_t length = 0; length + 2 < good.size(); ++length) {
    EXPECT_FALSE(parse_states(good.substr(0, length))) << length;
  }
}

TEST(StateFileUnknownFields, AreIgnored) {
  EXPECT_TRUE(parse_states(R"({"version":2,"saved_at_unix_ms":1,"new":[1],"revisions":[]})"));
}

TEST(StateFileOnDisk, IsEmptyBeforeTheFirstSave) {
  const bellows::test::TemporaryFolder folder;
  EXPECT_EQ(read_state_file(folder.path("state.json")).value(), SavedStates{});
}

TEST(StateFileOnDisk, IsReadAsItsText) {
  const bellows::test::TemporaryFolder folder;
  const std::string path = folder.path("state.json");
  std::ofstream(path) << states_json(one_saved());
  EXPECT_EQ(read_state_file(path).value(), parse_states(states_json(one_saved())).value());
}

TEST(StateFileOnDisk, ErrorsNameTheFile) {
  const bellows::test::TemporaryFolder folder;
  const std::string path = folder.path("state.json");
  std::ofstream(path) << "{";
  const auto read = read_state_file(path);
  ASSERT_FALSE(read);
  EXPECT_THAT(to_string(read.error()), HasSubstr("state file " + path));
}

}  // namespace
}  // namespace bellows::autoscaler::test
