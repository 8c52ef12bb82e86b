#include "autoscaler/service/state_changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "autoscaler/core/decider.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"
#include "tests/unit/autoscaler/core/states_json.hpp"

namespace bellows::autoscaler::test {
namespace {

using testing::HasSubstr;

constexpr const char* kSeries = "1790000000000-1";
const RevisionId kWeb("web");
const RevisionId kRooms("rooms");

/// Three rooms of three are occupied: more than 50 %, from the third point on for long enough.
constexpr const char* kTriggers = R"({"min":1,"max":30,
  "up":{"cooldown":1,"metricsTrigger":[{"type":"room","usage":50,"threshold":80,"time":30}]},
  "down":{"cooldown":1,"metricsTrigger":[{"type":"room","usage":20,"threshold":80,"time":30}]}})";

/// A revision with triggers that is decided every 10 s.
class Rooms {
 public:
  Rooms() {
    config::RevisionSettings settings;
    settings.autoscaling = kTriggers;
    spec_ = scaling_spec(settings);
  }

  /// The decision at `second`.
  Decision decide_at(std::int64_t second) {
    PolicySeen more;
    more.rooms = {.creating = 0, .ready = 0, .occupied = 3, .terminating = 0};
    Observation seen;
    seen.ready = seen.observed = seen.requested = 3;
    seen.policy = PolicySeenPtr(more);
    Decision decision = decide(spec_, seen, state, at(second));
    remember(state, decision);
    return decision;
  }

  DeciderState state;

 private:
  ScalingSpec spec_;
};

DeciderState with(PodCount replicas) {
  DeciderState state;
  state.replicas = replicas;
  state.last_load = state.activity.since = at(0);
  return state;
}

SavedStates saved(const DeciderState& web, const DeciderState& rooms) {
  return {.at = {at(0), WallTime(seconds(1'790'000'000))},
          .revisions = {{kWeb, web}, {kRooms, rooms}},
          .series = kSeries};
}

/// A file with these states, as it is read.
SavedStates file_of(const SavedStates& states) {
  return parse_states(states_json(states)).value();
}

std::string error_of(const Result<void>& applied) {
  return applied ? "no error" : to_string(applied.error());
}

std::string line(std::int64_t second, const std::string& rest) {
  return after_text(seconds(second)) + rest;
}

/// What policies of `id` remember, on the time line of at().
DeciderState state_in(const SavedStates& states, const RevisionId& id) {
  const Duration passed = states.at.wall - WallTime(seconds(1'790'000'000));
  return restored(states.at, states.revisions.at(id), seconds(60),
                  {at(0) + passed, states.at.wall});
}

TEST(StateChanges, AWholeStateReplacesTheOneOfTheFile) {
  SavedStates states = file_of(saved(with(2), with(3)));
  const std::string text = changes_head(kSeries) + line(40, state_change(kWeb, with(7), at(40)));
  ASSERT_TRUE(apply_changes(text, states));
  EXPECT_EQ(states.revisions.at(kWeb).replicas, 7);
  EXPECT_EQ(states.revisions.at(kRooms).replicas, 3);
  EXPECT_EQ(states.at.wall, WallTime(seconds(1'790'000'040)));
  EXPECT_EQ(state_in(states, kWeb), with(7)) << "instants count from the line";
}

TEST(StateChanges, OneThatIsGoneIsForgottenUntilItComesBack) {
  SavedStates states = file_of(saved(with(2), with(3)));
  const std::string gone = changes_head(kSeries) + line(5, gone_change(kWeb));
  ASSERT_TRUE(apply_changes(gone, states));
  EXPECT_FALSE(states.revisions.contains(kWeb));
  states = file_of(saved(with(2), with(3)));
  ASSERT_TRUE(apply_changes(gone + line(9, state_change(kWeb, with(4), at(9))), states));
  EXPECT_EQ(states.revisions.at(kWeb).replicas, 4);
}

/// The file has the state after the point at 0 s, the changes those of the decisions until 90 s.
class GrowingHistory : public testing::Test {
 protected:
  GrowingHistory() {
    rooms_.decide_at(0);
    base_ = saved(with(2), rooms_.state);
    for (int second = 10; second <= 90; second += 10) {
      rooms_.decide_at(second);
      ends_.push_back(text_.size());
      text_ += line(second, policy_change(kRooms, rooms_.state.policies, at(second)));
    }
  }

  Rooms rooms_;
  SavedStates base_;
  std::vector<std::size_t> ends_;  // of the lines before, in text_
  std::string text_ = changes_head(kSeries);
};

TEST_F(GrowingHistory, IsWhatAWholeStateWouldHaveSaid) {
  SavedStates states = file_of(base_);
  ASSERT_TRUE(apply_changes(text_, states));
  Rooms successor;
  successor.state = state_in(states, kRooms);
  const Decision there = rooms_.decide_at(100);
  const Decision here = successor.decide_at(100);
  EXPECT_EQ(here.replicas, there.replicas);
  EXPECT_EQ(*here.policies, *there.policies);
  EXPECT_EQ(successor.state.policies, rooms_.state.policies) << "every point is there";
}

TEST_F(GrowingHistory, WritesOnlyTheNewestPoint) {
  const std::string change = policy_change(kRooms, rooms_.state.policies, at(90));
  EXPECT_THAT(change, HasSubstr(R"("+room-ppm":[5e+05])"));
  EXPECT_LT(change.size(), 300U);
}

TEST_F(GrowingHistory, CutShortAtAnyByteIsToldAndAnEarlierState) {
  for (std::size_t length = 0; length < text_.size(); ++length) {
    SavedStates states = file_of(base_);
    const auto applied = apply_changes(std::string_view(text_).substr(0, length), states);
    const bool is_whole_line = length > 0 && text_[length - 1] == '\n';
    ASSERT_EQ(applied.has_value(), is_whole_line) << length;
    Rooms expected;
    expected.decide_at(0);
    for (std::size_t done = 1; done < ends_.size() && ends_[done] <= length; ++done) {
      expected.decide_at(static_cast<std::int64_t>(done) * 10);
    }
    Rooms read;
    read.state = state_in(states, kRooms);
    EXPECT_EQ(read.decide_at(200).policies->proposals, expected.decide_at(200).policies->proposals)
        << length;
  }
}

TEST_F(GrowingHistory, OfAnotherFileIsIgnored) {
  base_.series = "1790000000000-2";
  SavedStates states = file_of(base_);
  const SavedStates before = states;
  ASSERT_TRUE(apply_changes(text_, states));
  EXPECT_EQ(states, before);
}

TEST_F(GrowingHistory, ALineThatCannotBeReadIsNamedAndWhatStandsBeforeItCounts) {
  SavedStates states = file_of(base_);
  const std::string good = text_.substr(0, ends_[3]);
  EXPECT_THAT(error_of(apply_changes(
                  good + "{\"after\":-3,\"name\":\"web\"}\n" + text_.substr(ends_[3]), states)),
              HasSubstr("line 5: after: -3: want"));
  EXPECT_EQ(states.at.wall, WallTime(seconds(1'790'000'030)));
  states = file_of(base_);
  const std::string unknown =
      line(20, policy_change(RevisionId("new"), rooms_.state.policies, at(90)));
  EXPECT_THAT(error_of(apply_changes(good + unknown, states)),
              HasSubstr("want one with a whole state in an earlier line"));
}

TEST(StateChangesOnDisk, AreReadBesideTheirFileAndDamageIsToldWithItsName) {
  const bellows::test::TemporaryFolder folder;
  const std::string path = folder.path("state.json");
  std::ofstream(path) << states_json(saved(with(2), with(3)));
  const std::string web = line(4, state_change(kWeb, with(6), at(4)));
  std::ofstream(path + ".changes") << changes_head(kSeries) << web << web.substr(0, 30);
  const auto parts = read_saved_states(path);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->states.revisions.at(kWeb).replicas, 6);
  ASSERT_TRUE(parts->damage);
  EXPECT_THAT(to_string(*parts->damage), HasSubstr("changes of the state " + path + ".changes"));
  EXPECT_THAT(to_string(*parts->damage), HasSubstr("line 3: truncated after 30 bytes"));
}

}  // namespace
}  // namespace bellows::autoscaler::test
