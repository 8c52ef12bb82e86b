#include "autoscaler/core/load/growth.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

const ScalingSpec kSpec;
constexpr std::int64_t kHour = 3600;

Observation starting_in(Duration start, double stable) {
  Observation seen = load(stable, stable, 20);
  seen.start_time = start;
  return seen;
}

/// Plays a load, which `load_at` gives for each second, and keeps what is learned of it.
class Learner {
 public:
  template <class F>
  void play(std::int64_t begin, std::int64_t end, F&& load_at, double noise = 0) {
    for (std::int64_t s = begin; s < end; s += 2) {
      const double stable = load_at(static_cast<double>(s));
      const Observation seen = load(stable, stable, 20);
      trend_ = next_trend(trend_, spec, seen, at(s));
      growth_ = next_growth(growth_, trend_, spec, seen, noise, at(s));
    }
  }
  void play_steady(std::int64_t begin, std::int64_t end) {
    play(begin, end, [](double /*second*/) { return 100; });
  }
  double share(Duration start) const {
    return share_over_start(growth_, spec, starting_in(start, 100));
  }
  const Growth& growth() const { return growth_; }

  ScalingSpec spec;

 private:
  Trend trend_;
  Growth growth_;
};

TEST(Growth, OfALoadThatIsKnownForAnHourIsWhatItWas) {
  Learner learner;
  // 1 % a second for a minute: 18 s to start and 2 s to the next evaluation are 20 %.
  learner.play(0, 60, [](double second) { return 100 + second; });
  learner.play(60, kHour, [](double /*second*/) { return 160; });
  EXPECT_NEAR(learner.share(seconds(18)), 0.2, 0.02);
}

TEST(Growth, OfASteadyLoadIsNoneAfterAnHour) {
  Learner learner;
  learner.play_steady(0, kHour + 2);
  EXPECT_EQ(learner.share(seconds(18)), 0);
}

TEST(Growth, IsAssumedBeforeAnHourIsKnown) {
  Learner learner;
  learner.play_steady(0, kHour / 2);
  EXPECT_NEAR(learner.share(seconds(8)), 10 * 0.04, 1e-6);
}

TEST(Growth, OnlyTimeWithRequestsMakesItKnown) {
  Learner learner;
  learner.play(0, 3 * kHour, [](double second) { return second < kHour / 2 ? 100 : 0; });
  EXPECT_GT(learner.share(seconds(8)), 0);
}

TEST(Growth, MattersOnlyWhereAStartOutlastsThePanicWindow) {
  const Learner learner;  // nothing is known
  EXPECT_EQ(learner.share(seconds(4)), 0);
  EXPECT_GT(learner.share(seconds(5)), 0);
  EXPECT_EQ(share_over_start(learner.growth(), kSpec, load(100, 100, 20)), 0);  // no start yet
}

TEST(Growth, ThatChanceExplainsIsNone) {
  Learner learner;
  learner.play(
      0, kHour + 2, [](double second) { return second < 1800 ? 100 : 104; }, 5);
  EXPECT_EQ(learner.share(seconds(18)), 0);
}

TEST(Growth, OfAMorningIsRememberedTheNextOne) {
  Learner learner;
  learner.play(0, 60, [](double second) { return 100 + second; });
  learner.play_steady(60, 25 * kHour);
  EXPECT_NEAR(learner.share(seconds(18)), 0.2 * std::exp(-25.0 / 24), 0.02);
}

TEST(Growth, IsNotKnownOfTimeWithoutLookAhead) {
  Learner learner;
  learner.spec.rules.look_ahead = false;  // as while Knative's rules decide
  learner.play_steady(0, 2 * kHour);
  learner.spec.rules.look_ahead = true;
  EXPECT_NEAR(learner.share(seconds(8)), 10 * 0.04, 1e-6);
}

TEST(Growth, SinceAMarkFromBeforeAPauseIsNone) {
  Learner learner;
  learner.play_steady(0, kHour + 2);
  learner.spec.rules.look_ahead = false;
  learner.play(kHour + 2, 2 * kHour, [](double second) { return second / 10; });
  learner.spec.rules.look_ahead = true;
  learner.play(2 * kHour, 2 * kHour + 60, [](double /*second*/) { return 720; });
  EXPECT_EQ(learner.share(seconds(18)), 0);
}

TEST(Growth, IsForgottenInANightWithoutRequestsToo) {
  Learner learner;
  learner.play(0, 60, [](double second) { return 100 + second; });
  learner.play_steady(60, kHour);
  learner.play(kHour, 25 * kHour, [](double /*second*/) { return 0; });
  EXPECT_NEAR(learner.share(seconds(18)), 0.2 * std::exp(-25.0 / 24), 0.02);
}

TEST(Growth, OfALoadThatFallsIsNone) {
  Learner learner;
  learner.play(0, kHour + 2, [](double second) { return 4000 - second; });
  EXPECT_EQ(learner.share(seconds(18)), 0);
}

}  // namespace
}  // namespace bellows::autoscaler::test
