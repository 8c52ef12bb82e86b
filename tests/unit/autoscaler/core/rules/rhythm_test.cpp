#include "autoscaler/core/rules/rhythm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <vector>

#include "base/random.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

constexpr KeepTimes kTimes{.start = 2, .constant = 60, .cold_start_worth = 60};

IdleTimes known_of(const std::vector<float>& gaps) {
  std::vector<IdleTimes::Known> known;
  for (const float gap : gaps) known.push_back({gap, gap});
  IdleTimes made;
  made.restore(known, at(0));
  return made;
}

TEST(RhythmTest, ATimerHasOneWithoutColdStartsAfterTheFirstPeriod) {
  const auto rhythm = find_rhythm(known_of({300, 301, 299, 300, 300}), kTimes);
  ASSERT_TRUE(rhythm);
  EXPECT_EQ(rhythm->cost.cold_starts, 1);
  EXPECT_LT(rhythm->cost.idle_seconds, 62 + 4 * 12);
}

TEST(RhythmTest, NoCallVouchesForItself) {
  // Each pair of distances agrees, but no third one comes: nothing says when the next call is due.
  // A window would not help either, so nothing is kept.
  std::vector<float> pairs = {300, 300, 900, 900, 1500, 1500, 2100, 2100};
  EXPECT_FALSE(find_rhythm(known_of(pairs), kTimes)) << "eight are too few to keep nothing";
  pairs.insert(pairs.end(), {2700, 2700, 3300, 3300});
  const auto rhythm = find_rhythm(known_of(pairs), kTimes);
  ASSERT_TRUE(rhythm);
  EXPECT_TRUE(rhythm->keeps_nothing());
  EXPECT_EQ(rhythm->cost.cold_starts, 12);
}

TEST(RhythmTest, TwoTimersHaveOneOfTheLongerPeriod) {
  // One timer every 300 s, another every 900 s, 100 s after one of its calls.
  std::vector<float> gaps;
  for (int i = 0; i < 8; ++i) gaps.insert(gaps.end(), {100, 200, 300, 300});
  const auto rhythm = find_rhythm(known_of(gaps), kTimes);
  ASSERT_TRUE(rhythm);
  EXPECT_NEAR(rhythm->period, 900, 1);
  EXPECT_EQ(rhythm->cost.cold_starts, 7) << "two periods have to be seen, all later calls are warm";
}

TEST(RhythmTest, ASeldomTimerBesideAFrequentOneIsKnownLater) {
  // After a dozen calls the frequent one is followed, although the other one's calls are cold.
  std::vector<float> gaps;
  for (int i = 0; i < 3; ++i) gaps.insert(gaps.end(), {100, 200, 300, 300});
  const auto rhythm = find_rhythm(known_of(gaps), kTimes);
  ASSERT_TRUE(rhythm);
  EXPECT_NEAR(rhythm->period, 300, 1);
}

TEST(RhythmTest, ACallThatIsMissedOnceDoesNotEndATimer) {
  // Every 300 s; one call fell into the busy period of another one and was not seen.
  const auto rhythm = find_rhythm(known_of({300, 300, 300, 300, 600, 300, 300, 300, 300}), kTimes);
  ASSERT_TRUE(rhythm);
  EXPECT_NEAR(rhythm->period, 300, 1);
  EXPECT_EQ(rhythm->cost.cold_starts, 1) << "the second one, before the period can be known";
}

TEST(RhythmTest, ALateTimerIsGivenTheSlackThatItsLatenessAsksFor) {
  const auto exact = find_rhythm(known_of({3000, 3000, 3001, 3000, 2999, 3000}), kTimes);
  const auto late = find_rhythm(known_of({3000, 3025, 2980, 3010, 2975, 3020, 2990, 3005}), kTimes);
  ASSERT_TRUE(exact && late);
  EXPECT_LE(exact->slack, late->slack);
  EXPECT_LT(exact->cost.idle_seconds / 6, late->cost.idle_seconds / 8);
}

TEST(RhythmTest, IsLookedForAgainAfterACallAndWithAnotherStart) {
  IdleTimes known = known_of({300, 300, 300, 300});
  const auto quick = find_rhythm(known, kTimes);
  const auto slow = find_rhythm(known, {.start = 20, .constant = 60, .cold_start_worth = 60});
  ASSERT_TRUE(quick && slow);
  EXPECT_LT(quick->cost.idle_seconds, slow->cost.idle_seconds);
  known.restore(std::vector<IdleTimes::Known>{{300, 300}, {70, 70}, {900, 900}}, at(0));
  EXPECT_FALSE(find_rhythm(known, kTimes));
}

TEST(RhythmTest, AnIdleTimeOfYearsIsLookedAtInNoTime) {
  // Counting each call that it missed would take minutes, or no end for calls at the same time.
  EXPECT_FALSE(find_rhythm(known_of({7, 7, 7, 7, 7, 7, 3e9F, 7, 7}), kTimes));
  EXPECT_FALSE(find_rhythm(known_of({0, 0, 0, 0, 0, 300, 0, 0}), kTimes));
}

/// Five hundred services with idle times by chance: for how many something is expected. Nothing
/// kept at all is no expectation: it is right where calls never come within a window.
int followed(double (*draw)(Random&)) {
  SeededRandom random(7);
  int count = 0;
  for (int service = 0; service < 500; ++service) {
    std::vector<float> gaps;
    for (std::size_t i = 0; i < IdleTimes::kKept; ++i)
      gaps.push_back(static_cast<float>(6 + draw(random)));
    const auto rhythm = find_rhythm(known_of(gaps), kTimes);
    if (rhythm && !rhythm->keeps_nothing()) ++count;
  }
  return count;
}

TEST(RhythmTest, PoissonCallsHaveOneInAtMostTwoOfAHundredServices) {
  EXPECT_LE(followed([](Random& r) { return -120 * std::log1p(-r.fraction()); }), 10);
  EXPECT_LE(followed([](Random& r) { return -300 * std::log1p(-r.fraction()); }), 10);
  EXPECT_LE(followed([](Random& r) { return -3600 * std::log1p(-r.fraction()); }), 10);
}

}  // namespace
}  // namespace bellows::autoscaler::test
