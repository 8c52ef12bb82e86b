#include "cluster/kubernetes/core/path_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace bellows::cluster {

/// For the messages of failed tests.
void PrintTo(PathState state, std::ostream* out) {  // NOLINT(readability-identifier-naming): gtest
  *out << to_string(state);
}

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using Names = std::vector<PodName>;
const PodName kA("a");
const PodName kB("b");
constexpr Duration kSettle = 3s;

PathFacts facts(std::optional<bool> through, bool replicas, Names usable = {},
                Names in_slice = {}) {
  return {.is_asked_through = through,
          .are_replicas_ready = replicas,
          .usable = std::move(usable),
          .in_slice = std::move(in_slice)};
}

/// A machine with its clock.
struct Diary {
  PathWish at(Duration when, const PathFacts& seen) { return machine.step(seen, TimePoint(when)); }
  PathState state() const { return machine.state(); }
  PathMachine machine{kSettle};
};

/// In the state that is asked for, at 100 s.
Diary in_state(PathState state) {
  Diary diary;
  diary.at(90s, facts(false, true, {kA}));
  if (state == PathState::kDirect) return diary;
  diary.at(91s, facts(true, true, {kA}));
  diary.at(92s, facts(true, true, {kA}, {kA}));
  if (state == PathState::kJoining) return diary;
  diary.at(95s, facts(true, true, {kA}, {kA}));
  if (state == PathState::kHeld) return diary;
  diary.at(99s, facts(false, true, {kA}, {kA}));
  return diary;
}

TEST(PathMachine, JoinsBeforeReplicasMayGoAndLeavesAfterTheyAreBack) {
  Diary diary;
  EXPECT_THAT(diary.at(0s, facts(false, true, {kA, kB})).last_resort, ElementsAre(kA, kB));
  EXPECT_EQ(diary.state(), PathState::kDirect);

  EXPECT_THAT(diary.at(10s, facts(true, true, {kA, kB})).ready, ElementsAre(kA, kB));
  EXPECT_EQ(diary.state(), PathState::kJoining);
  EXPECT_EQ(diary.at(11s, facts(true, true, {kA, kB}, {kA, kB})).again, TimePoint(14s));
  diary.at(13999ms, facts(true, true, {kA, kB}, {kA, kB}));
  EXPECT_EQ(diary.state(), PathState::kJoining) << "a node may be behind";
  diary.at(14s, facts(true, true, {kA, kB}, {kA, kB}));
  EXPECT_EQ(diary.state(), PathState::kHeld);

  diary.at(20s, facts(true, false, {kA, kB}, {kA, kB}));
  diary.at(30s, facts(false, false, {kA, kB}, {kA, kB}));
  EXPECT_EQ(diary.state(), PathState::kHeld) << "no replica is ready";
  EXPECT_EQ(diary.at(40s, facts(false, true, {kA, kB}, {kA, kB})).again, TimePoint(43s));
  EXPECT_EQ(diary.state(), PathState::kHeld);
  const PathWish leaving = diary.at(43s, facts(false, true, {kA, kB}, {kA, kB}));
  EXPECT_EQ(diary.state(), PathState::kLeaving);
  EXPECT_THAT(leaving.ready, IsEmpty());
  EXPECT_THAT(leaving.last_resort, ElementsAre(kA, kB));
  EXPECT_EQ(diary.at(44s, facts(false, true, {kA, kB})).again, TimePoint(47s));
  EXPECT_EQ(diary.state(), PathState::kLeaving) << "a node may still send requests to them";
  diary.at(47s, facts(false, true, {kA, kB}));
  EXPECT_EQ(diary.state(), PathState::kDirect);
}

struct Case {
  PathState from;
  const char* event;
  PathFacts seen;
  Duration when;
  PathState to;
  Names ready;  ///< of the wish
};

TEST(PathMachine, EachStateWithEachEvent) {
  using enum PathState;
  const Names a{kA};
  const std::vector<Case> cases = {
      {kDirect, "nothing", facts(false, true, a), 100s, kDirect, {}},
      {kDirect, "activators asked for", facts(true, true, a), 100s, kJoining, a},
      {kDirect, "asked for, none answers", facts(true, true), 100s, kJoining, {}},
      {kDirect, "replicas lost", facts(false, false, a), 100s, kJoining, a},
      {kDirect, "a slice written by hand", facts(false, true, a, a), 100s, kLeaving, {}},
      {kDirect, "no order after a restart", facts({}, true, a), 100s, kDirect, {}},
      {kJoining, "in time", facts(true, true, a, a), 94s, kJoining, a},
      {kJoining, "settled", facts(true, true, a, a), 95s, kHeld, a},
      {kJoining, "replicas asked for", facts(false, true, a, a), 100s, kLeaving, {}},
      {kJoining, "replicas asked for, none ready", facts(false, false, a, a), 94s, kJoining, a},
      {kJoining, "the slice is gone", facts(true, true, a), 100s, kJoining, a},
      {kJoining, "the activators are gone", facts(true, true, {}, a), 100s, kJoining, a},
      {kHeld, "nothing", facts(true, true, a, a), 100s, kHeld, a},
      {kHeld, "replicas gone", facts(true, false, a, a), 100s, kHeld, a},
      {kHeld, "replicas asked for", facts(false, true, a, a), 100s, kLeaving, {}},
      {kHeld, "replicas asked for, none ready", facts(false, false, a, a), 100s, kHeld, a},
      {kHeld, "the slice is gone", facts(true, true, a), 100s, kJoining, a},
      {kHeld, "the activators are gone", facts(true, true, {}, a), 100s, kJoining, a},
      {kHeld, "another activator takes over", facts(true, true, {kB}, a), 100s, kJoining, {kB}},
      {kHeld, "another activator comes", facts(true, true, {kA, kB}, a), 100s, kHeld, {kA, kB}},
      {kLeaving, "not written yet", facts(false, true, a, a), 100s, kLeaving, {}},
      {kLeaving, "activators asked for", facts(true, true, a), 100s, kJoining, a},
      {kLeaving, "replicas lost", facts(false, false, a), 100s, kJoining, a},
      {kLeaving, "written", facts(false, true, a), 100s, kLeaving, {}},
  };
  for (const Case& each : cases) {
    Diary diary = in_state(each.from);
    ASSERT_EQ(diary.state(), each.from);
    const PathWish wish = diary.at(each.when, each.seen);
    EXPECT_EQ(diary.state(), each.to) << to_string(each.from) << ": " << each.event;
    EXPECT_EQ(wish.ready, each.ready) << to_string(each.from) << ": " << each.event;
  }
}

TEST(PathMachine, AnOutageCountsForNothing) {
  Diary diary = in_state(PathState::kHeld);
  diary.machine.start_anew();
  EXPECT_EQ(diary.at(100s, facts(true, true, {kA}, {kA})).again, TimePoint(103s));
  EXPECT_EQ(diary.state(), PathState::kJoining);
  Diary leaving = in_state(PathState::kHeld);
  leaving.machine.start_anew();
  leaving.at(100s, facts(false, true, {kA}, {kA}));
  EXPECT_EQ(leaving.state(), PathState::kJoining) << "replicas count from now on";
  leaving.at(103s, facts(false, true, {kA}, {kA}));
  EXPECT_EQ(leaving.state(), PathState::kLeaving);
}

TEST(PathMachine, ASuccessorFindsWhatIsThereAndChangesNothingBeforeItIsAsked) {
  Diary diary;
  const PathWish wish = diary.at(0s, facts({}, true, {kA}, {kA}));
  EXPECT_THAT(wish.ready, ElementsAre(kA));
  EXPECT_EQ(diary.state(), PathState::kJoining);
  diary.at(3s, facts({}, true, {kA}, {kA}));
  EXPECT_EQ(diary.state(), PathState::kHeld);
  diary.at(100s, facts({}, true, {kA}, {kA}));
  EXPECT_EQ(diary.state(), PathState::kHeld);
}

/// A cluster whose nodes follow what is written within the settle time, each with a delay of its
/// own for each change, and an autoscaler that asks for anything at any time.
class Nodes {
 public:
  explicit Nodes(std::uint64_t seed) : random_(seed) {
    for (auto& node : nodes_) node.push_back(written_);
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      now_ += Duration(std::chrono::milliseconds(1 + draw(400)));
      follow();
      change();
      step();
      check(i);
    }
  }

 private:
  /// What callers find at one time.
  struct Written {
    TimePoint at{};
    bool replicas = true;
    Names activators;
  };

  std::size_t draw(std::size_t below) {
    return static_cast<std::size_t>(random_.fraction() * static_cast<double>(below));
  }

  void write() {
    written_.at = now_;
    for (auto& node : nodes_) {
      Written seen = written_;
      seen.at = now_ + Duration(std::chrono::milliseconds(draw(2999)));
      if (!node.empty()) seen.at = std::max(seen.at, node.back().at);  // in order
      node.push_back(seen);
    }
  }

  /// Each node keeps what it follows now, and what it will.
  void follow() {
    for (auto& node : nodes_) {
      while (node.size() > 1 && node[1].at <= now_) node.pop_front();
    }
    if (replicas_ready_at_ && *replicas_ready_at_ <= now_) {
      replicas_ready_at_.reset();
      written_.replicas = true;
      write();
    }
  }

  void change() {
    switch (draw(6)) {
      case 0:
        asked_ = draw(2) == 0;
        break;
      case 1:  // to zero, if it is allowed
        if (machine_.state() == PathState::kHeld && written_.replicas) {
          written_.replicas = false;
          write();
        }
        break;
      case 2:  // the order of a replica, which starts at some time
        if (!written_.replicas && !replicas_ready_at_) {
          replicas_ready_at_ = now_ + Duration(std::chrono::milliseconds(draw(8000)));
        }
        break;
      default:
        break;
    }
  }

  void step() {
    const PathWish wish = machine_.step({.is_asked_through = asked_,
                                         .are_replicas_ready = written_.replicas,
                                         .usable = {kA, kB},
                                         .in_slice = written_.activators},
                                        now_);
    if (wish.ready == written_.activators) return;
    if (draw(4) == 0) return;  // the write fails, or takes its time
    written_.activators = wish.ready;
    write();
  }

  /// A caller at any node reaches an activator, or a replica that is there: one that drains counts
  /// for nothing.
  void check(int i) const {
    for (const auto& node : nodes_) {
      const Written& seen = node.front();
      const bool is_served = !seen.activators.empty() || (seen.replicas && written_.replicas);
      ASSERT_TRUE(is_served) << "step " << i << ", " << to_string(machine_.state());
    }
  }

  SeededRandom random_;
  TimePoint now_{100s};
  PathMachine machine_{kSettle};
  std::optional<bool> asked_;
  std::optional<TimePoint> replicas_ready_at_;
  Written written_;
  std::array<std::deque<Written>, 3> nodes_;
};

TEST(PathMachine, NoCallerEverReachesNobody) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Nodes nodes(seed);
    nodes.run(400);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace bellows::cluster
