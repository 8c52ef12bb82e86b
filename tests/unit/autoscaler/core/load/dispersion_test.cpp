#include "autoscaler/core/load/dispersion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "base/random.hpp"
#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

/// So much headroom that no difference is beyond it.
constexpr double kMuch = 1e6;

/// Callers who come in batches, each at a time of its own; every request takes equally long. Their
/// load is decided on every two seconds.
class Callers {
 public:
  Callers(double load, int batch, int service)
      : service_(service), batches_(load / batch / service), batch_(batch) {}

  void pass(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      arrived_.push_back(batch_ * batches_in_a_second());
      if (arrived_.size() > static_cast<std::size_t>(service_)) arrived_.pop_front();
      double in_flight = 0;
      for (const double arrived : arrived_) in_flight += arrived;
      minute_.push_back(in_flight);
      if (minute_.size() > 60) minute_.pop_front();
      if (++second_ % 2 == 0) spread_ = next_spread(spread_, seen(), kMuch);
    }
  }
  void grow_to(double load) { batches_ = load / batch_ / service_; }

  Observation seen() const {
    double sum = 0;
    for (const double load : minute_) sum += load;
    Observation seen = load(sum / static_cast<double>(minute_.size()), 0, 10);
    seen.newest = minute_.back();
    return seen;
  }
  double dispersion() const { return autoscaler::dispersion(spread_); }

 private:
  /// Poisson distributed.
  int batches_in_a_second() {
    int count = 0;
    double at = -std::log1p(-random_.fraction());
    for (; at < batches_; at -= std::log1p(-random_.fraction())) ++count;
    return count;
  }

  SeededRandom random_{11};
  int service_;  // seconds
  double batches_;
  int batch_;
  int second_ = 0;
  std::deque<double> arrived_;
  std::deque<double> minute_;
  LoadSpread spread_;
};

TEST(Dispersion, OfCallersOnTheirOwnIsOne) {
  Callers callers(200, 1, 2);
  callers.pass(1200);
  EXPECT_NEAR(callers.dispersion(), 1, 0.25);
}

TEST(Dispersion, OfCallersInBatchesIsTheSizeOfABatch) {
  Callers callers(200, 8, 2);
  callers.pass(1200);
  EXPECT_NEAR(callers.dispersion(), 8, 2);
}

TEST(Dispersion, OfRequestsThatLastForMinutesIsLessBecauseTheirMeanMovesWithThem) {
  Callers brief(200, 8, 2);
  Callers lasting(200, 8, 120);
  brief.pass(1800);
  lasting.pass(1800);
  EXPECT_LT(lasting.dispersion(), brief.dispersion() / 2);
}

TEST(Dispersion, IsOneBeforeAnythingIsKnown) {
  EXPECT_EQ(dispersion({}), 1);
}

TEST(Dispersion, IsNeverLessThanOne) {
  // A load that does not vary at all, which no callers are so kind as to send for long.
  LoadSpread spread;
  Observation seen = load(100, 100, 10);
  seen.newest = 100;
  for (int i = 0; i < 100; ++i) spread = next_spread(spread, seen, kMuch);
  EXPECT_EQ(dispersion(spread), 1);
}

TEST(Dispersion, OfAJumpIsForgottenWithinAnHour) {
  Callers callers(50, 1, 2);
  callers.pass(600);
  callers.grow_to(500);
  callers.pass(120);
  EXPECT_GT(callers.dispersion(), 20) << "what rose may rise again";
  callers.pass(3600);
  EXPECT_NEAR(callers.dispersion(), 1, 0.25);
}

TEST(Dispersion, OfAJumpIsNoMoreThanTheGreatestHeadroomMakesIt) {
  // From 100 to 1000 within a second, with at most 43 of 100 kept free.
  Observation seen = load(115, 115, 10);
  seen.newest = 1000;
  EXPECT_FLOAT_EQ(static_cast<float>(dispersion(next_spread({}, seen, 49))), 49 * 49 / 115.0F);
}

TEST(Dispersion, LearnsNothingWhileAReplicaIsSilentOrNobodyCalls) {
  Observation seen = load(100, 100, 10);
  seen.newest = 150;
  const LoadSpread spread = next_spread({}, seen, kMuch);
  EXPECT_EQ(dispersion(spread), 25) << "50 * 50 / 100";
  seen.newest = 20;
  seen.not_reporting = 8;
  EXPECT_EQ(next_spread(spread, seen, kMuch), spread);
  EXPECT_EQ(next_spread(spread, load(0, 0, 1), kMuch), spread);
}

TEST(Dispersion, IsWhatTheHeadroomOfTheNextDecisionIsMadeOf) {
  // 400 requests in flight on average; each second is 40 off. Of independent callers it were 20.
  ScalingSpec spec;
  spec.target = 7;
  spec.total = 10;
  spec.free_deviations = 2;
  spec.rules.early_scale_up = config::EarlyScaleUp::kWindow;
  Observation seen = load(400, 400, 44);
  Story story(active_since(at(-100)));
  seen.newest = 440;
  const Decision first = story.decide(spec, seen, at(0));
  EXPECT_EQ(first.dispersion, 1);
  EXPECT_EQ(first.replicas, 44) << "400 + 2 * 20";
  seen.newest = 360;
  const Decision second = story.decide(spec, seen, at(2));
  EXPECT_EQ(second.dispersion, 4);
  EXPECT_EQ(second.replicas, 48) << "400 + 2 * 40";
}

TEST(Dispersion, IsNotMeasuredWhereTheHeadroomIsAFixedPartOfTheLoad) {
  Observation seen = load(400, 400, 44);
  seen.newest = 900;
  Story story(active_since(at(-100)));
  story.decide(spec_of("knative"), seen, at(0));
  EXPECT_EQ(story.state().spread, LoadSpread());
}

}  // namespace
}  // namespace bellows::autoscaler::test
