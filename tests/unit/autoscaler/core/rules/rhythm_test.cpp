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

TEST(RhythmTest, AConstantCostsItsTimeAndAColdStartForEachLongerIdleTime) {
  const KeepCost cost = cost_of_constant(known_of({20, 60, 61, 300}), kTimes);
  EXPECT_EQ(cost.idle_seconds, 20 + 60 + 60 + 60 + 2 * 2);
  EXPECT_EQ(cost.cold_starts, 2);
}

TEST(RhythmTest, ATimerHasOneWithoutColdStarts) {
  const auto rhythm = find_rhythm(known_of({300, 301, 299, 300, 300}), kTimes);
  ASSERT_TRUE(rhythm);
  EXPECT_EQ(rhythm->cost.cold_starts, 0);
  EXPECT_LT(rhythm->cost.idle_seconds, 5 * 12);
}

TEST(RhythmTest, NoIdleTimeVouchesForItself) {
  // Each pair agrees, but with one of them left out nothing says when the other comes.
  // A window would not help either, so nothing is kept.
  std::vector<float> pairs = {300, 300, 900, 900, 1500, 1500, 2100, 2100};
  EXPECT_FALSE(find_rhythm(known_of(pairs), kTimes)) << "eight are too few to keep nothing";
  pairs.insert(pairs.end(), {2700, 2700, 3300, 3300});
  const auto rhythm = find_rhythm(known_of(pairs), kTimes);
  ASSERT_TRUE(rhythm);
  EXPECT_EQ(rhythm->cost.cold_starts, 12);
}

TEST(RhythmTest, TwoTimersHaveOne) {
  std::vector<float> gaps;
  for (int i = 0; i < 8; ++i) gaps.insert(gaps.end(), {100, 200});
  const auto rhythm = find_rhythm(known_of(gaps), kTimes);
  ASSERT_TRUE(rhythm);
  EXPECT_EQ(rhythm->cost.cold_starts, 0);
}

TEST(RhythmTest, ALateTimerIsGivenTheSlackThatItsLatenessAsksFor) {
  const auto exact = find_rhythm(known_of({3000, 3000, 3001, 3000, 2999, 3000}), kTimes);
  const auto late = find_rhythm(known_of({3000, 3025, 2980, 3010, 2975, 3020, 2990, 3005}), kTimes);
  ASSERT_TRUE(exact && late);
  EXPECT_LT(exact->slack, late->slack);
}

/// A thousand services with idle times by chance: for how many something is expected. Nothing kept
/// at all is no expectation: it is right where calls never come within a window.
int followed(double (*draw)(Random&)) {
  SeededRandom random(7);
  int count = 0;
  for (int service = 0; service < 1000; ++service) {
    std::vector<float> gaps;
    for (int i = 0; i < 16; ++i) gaps.push_back(static_cast<float>(6 + draw(random)));
    const auto rhythm = find_rhythm(known_of(gaps), kTimes);
    if (rhythm && rhythm->cost.cold_starts < std::ssize(gaps)) ++count;
  }
  return count;
}

TEST(RhythmTest, PoissonCallsHaveOneInAtMostTwoOfAHundredServices) {
  EXPECT_LE(followed([](Random& r) { return -120 * std::log1p(-r.fraction()); }), 20);
  EXPECT_LE(followed([](Random& r) { return -300 * std::log1p(-r.fraction()); }), 20);
  EXPECT_LE(followed([](Random& r) { return -3600 * std::log1p(-r.fraction()); }), 20);
}

}  // namespace
}  // namespace bellows::autoscaler::test
