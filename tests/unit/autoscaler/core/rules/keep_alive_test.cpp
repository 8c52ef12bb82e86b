#include "autoscaler/core/rules/keep_alive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "autoscaler/core/activators/wanted_path.hpp"
#include "autoscaler/core/load/learned_start.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

ScalingSpec learning() {
  ScalingSpec spec = spec_with_target(7);
  spec.rules.keep_alive = config::KeepAlive::kLearned;
  return spec;
}

IdleTimes gaps(const std::vector<float>& known) {
  IdleTimes made;
  std::vector<IdleTimes::Known> gaps_and_periods;
  for (const float gap : known) gaps_and_periods.push_back({gap, gap});
  made.restore(gaps_and_periods, at(0));
  return made;
}

bool keeps(const std::vector<float>& known, double idle, Duration start = seconds(2)) {
  const ElapsedSince since{.last = from_seconds(idle), .first = from_seconds(idle)};
  const IdleTimes times = gaps(known);
  return is_worth_keeping(learning(), times, rhythm_of(learning(), times, start), since, start);
}

TEST(KeepAlive, OfAServiceThatGotNoSecondRequestIsAWindowAndAnEvaluation) {
  EXPECT_TRUE(keeps({}, 10));
  EXPECT_TRUE(keeps({}, 58));
  EXPECT_TRUE(keeps({}, 61));
  EXPECT_FALSE(keeps({}, 62));
}

TEST(KeepAlive, ARequestAfterAPauseFindsTheReplicaThatWasKeptForIt) {
  ScalingSpec spec = learning();
  spec.pod_retention = seconds(300);
  Story story;
  EXPECT_EQ(story.decide(spec, load(1, 1, 1), at(2)).replicas, 1);
  const Decision idle = story.decide(spec, load(0, 0, 1), at(108));
  EXPECT_EQ(idle.rule, Rule::kGrace) << "106 s without a request, 300 are allowed";
  Observation called = load(0, 0, 1);
  called.newest = 0.06;  // no window holds the second that has just begun
  called.idle_for = std::chrono::milliseconds(160);
  EXPECT_EQ(story.decide(spec, called, at(110)).replicas, 1);
  Observation brief = load(0.001, 0.01, 1);  // rounds to no replica
  EXPECT_EQ(story.decide(spec, brief, at(112)).replicas, 1);
}

/// Decisions each 2 s until `end`, of a revision whose start takes `start_seconds` and that gets no
/// call but those that wait at activators during the first `waiting` seconds.
struct SlowStart {
  int orders = 0;
  std::int64_t ended = 0;  // second in which the last replica ended; 0: it is there
};
SlowStart slow_start(std::int64_t start_seconds, std::int64_t waiting, PodCount initial_scale,
                     std::int64_t end) {
  ScalingSpec spec = learning();
  spec.initial_scale = initial_scale;
  spec.progress_deadline = seconds(300);
  Story story;
  SlowStart seen_of_it;
  PodCount requested = 0;
  std::int64_t ordered = 0;
  for (std::int64_t second = 2; second <= end; second += 2) {
    const bool is_ready = requested > 0 && second - ordered >= start_seconds;
    Observation seen = load(0, 0, is_ready ? requested : 0);
    seen.starting = is_ready ? 0 : requested;
    seen.requested = requested;
    seen.waiting = second <= waiting ? 1 : 0;
    const PodCount replicas = story.decide(spec, seen, at(second)).replicas;
    if (replicas > requested) ++seen_of_it.orders, ordered = second;
    if (replicas < requested) seen_of_it.ended = second;
    requested = replicas;
  }
  return seen_of_it;
}

TEST(KeepAlive, AStartThatIsLongerThanTheWindowIsNotEndedBeforeItIsReady) {
  for (const std::int64_t start : {10, 60, 62, 64, 66, 70, 130, 299}) {
    EXPECT_EQ(slow_start(start, 0, 1, start + 20).orders, 1) << start;
    EXPECT_EQ(slow_start(start, 0, 1, start + 20).ended, 0) << start;
    EXPECT_EQ(slow_start(start, 40, 0, start + 20).orders, 1) << start << " s, for a call";
    EXPECT_EQ(slow_start(start, 40, 0, start + 20).ended, 0) << start << " s, for a call";
  }
}

TEST(KeepAlive, AReplicaThatWasReadyTooLateForItsCallStaysForAWindow) {
  EXPECT_EQ(slow_start(130, 60, 0, 190).ended, 0);
  const SlowStart later = slow_start(130, 60, 0, 260);
  EXPECT_EQ(later.orders, 1);
  EXPECT_GE(later.ended, 192);
  EXPECT_LE(later.ended, 198);
}

TEST(KeepAlive, AFailingStartIsGivenUpAfterAWindow) {
  ScalingSpec spec = learning();
  Story story;
  Observation seen = load(0, 0, 0);
  seen.waiting = 1;
  EXPECT_EQ(story.decide(spec, seen, at(0)).replicas, 1);
  seen.waiting = 0;
  seen.requested = seen.starting = 1;
  EXPECT_EQ(story.decide(spec, seen, at(2)).replicas, 1);
  EXPECT_EQ(story.decide(spec, seen, at(64)).replicas, 1);
  seen.failing = 1;
  EXPECT_EQ(story.decide(spec, seen, at(66)).replicas, 0);
}

TEST(KeepAlive, AStartThatNeverEndsIsGivenUpAfterItsDeadline) {
  const SlowStart never = slow_start(10'000, 40, 0, 600);
  EXPECT_EQ(never.orders, 1);
  EXPECT_GE(never.ended, 330);
  EXPECT_LE(never.ended, 336);
}

TEST(KeepAlive, ARequestEveryFiveMinutesIsMetByAReplicaThatCameAMomentBefore) {
  const std::vector<float> known = {300, 300, 301, 300};
  EXPECT_FALSE(keeps(known, 8));  // nobody is expected for long
  EXPECT_FALSE(keeps(known, 280));
  EXPECT_TRUE(keeps(known, 294));  // 2 s to start, 2 to order it, 2 before its time
  EXPECT_TRUE(keeps(known, 302));
  EXPECT_FALSE(keeps(known, 320));  // it did not come
}

TEST(KeepAlive, ASlowStarterIsOrderedEarlier) {
  const std::vector<float> known = {300, 300, 301, 300};
  EXPECT_FALSE(keeps(known, 265, seconds(20)));
  EXPECT_TRUE(keeps(known, 276, seconds(20)));
}

TEST(KeepAlive, TwoEqualIdleTimesAreNoRhythmYet) {
  EXPECT_TRUE(keeps({300, 300}, 58));
  EXPECT_FALSE(keeps({300, 300}, 296));
}

TEST(KeepAlive, IdleTimesByChanceKeepItForAWindowAndStartNothing) {
  const std::vector<float> known = {8, 12, 30, 45, 95, 110, 150, 200, 230, 300, 305, 420, 600};
  EXPECT_TRUE(keeps(known, 20));
  EXPECT_TRUE(keeps(known, 59));
  for (double idle = 62; idle < 700; idle += 2) EXPECT_FALSE(keeps(known, idle)) << idle;
}

TEST(KeepAlive, ARhythmThatEndedIsNotFollowed) {
  std::vector<float> known(8, 300);
  EXPECT_TRUE(keeps(known, 296));
  for (const float other : {40, 700, 130, 1900, 90, 450, 1100, 220, 75, 560, 820, 170, 1400})
    known.push_back(other);  // all of the timer are still among the known ones
  EXPECT_FALSE(keeps(known, 296));
}

TEST(KeepAlive, ATimerIsKnownByItsPeriodHoweverLongItsRequestsTake) {
  // Every five minutes; the calls took 100, 20 and 60 s, this one 5 s.
  IdleTimes known;
  known.restore(std::vector<IdleTimes::Known>{{200, 300}, {280, 300}, {240, 300}, {260, 300}},
                at(0));
  const auto keeps_after = [&](std::int64_t second) {
    const ElapsedSince since{.last = seconds(second - 5), .first = seconds(second)};
    const auto rhythm = rhythm_of(learning(), known, seconds(2));
    return is_worth_keeping(learning(), known, rhythm, since, seconds(2));
  };
  EXPECT_TRUE(keeps_after(295));
  EXPECT_TRUE(keeps_after(302));
  EXPECT_FALSE(keeps_after(320));
}

TEST(IdleTimesTest, CountsAPeriodFromTheFirstRequestAndAnIdleTimeFromTheirEnd) {
  IdleTimes known;
  known.record(at(0), at(10), seconds(6));
  for (int s = 11; s <= 40; ++s) known.record(at(s - 1), at(s), seconds(6));
  known.record(at(40), at(310), seconds(6));
  EXPECT_THAT(known.idle_times(), testing::ElementsAre(270));
  EXPECT_EQ(known[0].period, 300);
  EXPECT_EQ(known.busy_since(), at(310));
}

TEST(KeepAlive, PanicModeOfASingleCallEndsIfTheRhythmSaysWhenTheNextOneComes) {
  // At a container-concurrency of 1 a call is more than the target, so it panics for two replicas.
  const auto replicas_after = [](const std::vector<float>& known, PodCount wanted) {
    DesiredReplicas desired{wanted, Rule::kPanicTarget};
    Memory memory;
    memory.panic = Panic{.since = at(-10), .last_over = at(-10)};
    memory.last_load = at(-8);
    Observation seen = load(0, 0, wanted);
    seen.requested = wanted;
    seen.start_time = seconds(2);
    keep_while_worth(desired, learning(), seen, memory, gaps(known), at(0));
    return desired.pods;
  };
  const std::vector<float> timer(5, 300);
  EXPECT_EQ(replicas_after(timer, 2), 0);
  EXPECT_EQ(replicas_after(timer, 3), 3) << "several calls at once: they may come back";
  EXPECT_EQ(replicas_after({300, 90, 700, 200, 20}, 2), 2) << "no rhythm";
  EXPECT_EQ(
      replicas_after(
          std::vector<float>{300, 90, 700, 200, 120, 400, 1000, 99, 150, 800, 250, 600, 77}, 2),
      2)
      << "nothing is due, but that is no reason to end panic mode";
}

TEST(KeepAlive, StartsThatTakeDifferentlyLongAreOrderedEarlier) {
  LearnedStart start;
  for (const int s : {20, 30, 20, 30, 20, 30, 20, 30, 20, 30}) start.add(seconds(s));
  Observation seen;
  seen.start_time = start.usual();
  seen.start_spread = start.spread();
  EXPECT_GT(long_start(seen), seconds(30));
  EXPECT_LT(long_start(seen), seconds(40));
  seen.start_spread = {};
  EXPECT_EQ(long_start(seen), *start.usual());
}

TEST(IdleTimesTest, KeepsTheNewestThirtyTwo) {
  IdleTimes known;
  known.record(at(0), at(1), seconds(6));  // the first call ends no gap
  for (int i = 0; i < 60; ++i) known.record(at(100 * i), at(100 * i + 10 + i), seconds(6));
  EXPECT_EQ(known.size(), 32U);
  EXPECT_EQ(*std::ranges::min_element(known.idle_times()), 38);  // 10 to 37 had to go
  EXPECT_EQ(known[0].idle_time, 38);
  EXPECT_EQ(known[31].idle_time, 69);
}

TEST(IdleTimesTest, RequestsThatFollowEachOtherCloselyAreNoIdleTime) {
  IdleTimes known;
  known.record(at(0), at(1), seconds(6));
  known.record(at(1), at(7), seconds(6));
  EXPECT_TRUE(known.idle_times().empty());
}

/// One call of a moment at each of the instants, a replica that is ready two seconds after it was
/// ordered; how many calls found none.
int cold_starts(const std::vector<std::int64_t>& calls, std::int64_t end, std::int64_t& paid) {
  const ScalingSpec spec = learning();
  Story story;
  std::optional<std::int64_t> ready_at;
  std::optional<std::int64_t> last_call;
  int cold = 0;
  PodCount want = 0;
  for (std::int64_t s = 0; s < end; s += 2) {
    const bool is_called = std::ranges::find(calls, s) != calls.end();
    const bool is_ready = ready_at && *ready_at <= s;
    if (is_called) last_call = s;
    if (is_called && !is_ready) ++cold;
    Observation seen = load(0, 0, is_ready ? 1 : 0);
    if (last_call && s - *last_call < 60) seen.stable.total = 0.01;
    if (last_call && s - *last_call < 6) seen.panic.total = 0.1;
    if (is_called) seen.waiting = 1;
    if (last_call) seen.idle_for = seconds(s - *last_call);
    seen.requested = want;
    seen.starting = want > 0 && !is_ready ? 1 : 0;
    seen.start_time = seconds(2);
    const PodCount before = want;
    want = story.decide(spec, seen, at(s)).replicas;
    if (want > 0 && before == 0) ready_at = s + 2;
    if (want == 0) ready_at.reset();
    if (want > 0) paid += 2;
  }
  return cold;
}

TEST(KeepAlive, ThirtyRequestsFiveMinutesApartStartColdFourTimesAndCostAThirdOfAWindowEach) {
  std::vector<std::int64_t> calls;
  for (int i = 0; i < 30; ++i) calls.push_back(10 + 300 * i);
  std::int64_t paid = 0;
  EXPECT_EQ(cold_starts(calls, 9000, paid), 4);  // until three gaps predict a fourth
  EXPECT_LT(paid, 30 * 62 / 2);                  // Knative: thirty cold starts, 62 s for each
}

/// Ten minutes of an idle revision whose activators join and leave as asked. Returns how often its
/// path changed.
int changes_at_rest(const ScalingSpec& spec, PodCount& replicas) {
  Story story;
  PathMemory path;
  bool is_through = false;
  int changes = 0;
  for (int second = 0; second < 600; second += 2) {
    Observation seen = load(0, 0, replicas);
    seen.requested = replicas;
    seen.does_activator_answer = is_through;
    const Decision decision = story.decide(spec, seen, at(second));
    replicas = decision.replicas;
    const bool before = is_through;
    is_through = wanted_path(decision, RevisionId("web"), {}, path).is_through_activators;
    if (is_through != before) ++changes;
  }
  return changes;
}

TEST(KeepAlive, ARevisionAtRestKeepsItsPath) {
  using config::KeepAlive;
  for (const auto keep_alive : {KeepAlive::kLearned, KeepAlive::kWindow, KeepAlive::kConstant}) {
    for (const int min_scale : {0, 1, 3}) {
      for (const double capacity : {-1.0, 0.0, 200.0}) {
        for (const bool goes_to_zero : {true, false}) {
          for (const Duration retention : {seconds(0), seconds(90)}) {
            ScalingSpec spec = learning();
            spec.rules.keep_alive = keep_alive;
            spec.rules.idle_clock = seconds(60);
            spec.min_scale = min_scale;
            spec.target_burst_capacity = capacity;
            spec.enable_scale_to_zero = goes_to_zero;
            spec.pod_retention = retention;
            PodCount replicas = std::max(min_scale, 1);
            EXPECT_LE(changes_at_rest(spec, replicas), 1)
                << static_cast<int>(keep_alive) << ": " << min_scale << " replicas, " << capacity
                << ", to zero " << goes_to_zero << ", kept " << to_seconds(retention) << " s";
            EXPECT_EQ(replicas, std::max(min_scale, goes_to_zero ? 0 : 1));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace bellows::autoscaler::test
