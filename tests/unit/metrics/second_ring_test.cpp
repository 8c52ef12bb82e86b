#include "metrics/second_ring.hpp"

#include <gtest/gtest.h>

#include <map>

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;

SecondRing<std::int64_t> one_to_ten() {
  SecondRing<std::int64_t> ring({.stable = 10, .panic = 3});
  for (Second s = 1; s <= 10; ++s) {
    ring.advance(s);
    ring.add(s, s);
  }
  return ring;
}

TEST(SecondOf, RoundsDownBeforeZeroToo) {
  EXPECT_EQ(second_of(TimePoint(1999ms)), 1);
  EXPECT_EQ(second_of(TimePoint(2s)), 2);
  EXPECT_EQ(second_of(TimePoint(-1ms)), -1);
}

TEST(SecondRing, EachWindowSumsItsNewestSeconds) {
  const auto ring = one_to_ten();
  EXPECT_EQ(ring.sum(Window::kStable), 55);
  EXPECT_EQ(ring.sum(Window::kPanic), 8 + 9 + 10);
}

TEST(SecondRing, ALateAmountGoesToTheWindowsThatHoldItsSecond) {
  auto ring = one_to_ten();
  ring.add(7, 100);
  EXPECT_EQ(ring.sum(Window::kStable), 155);
  EXPECT_EQ(ring.sum(Window::kPanic), 27);
  ring.add(8, 100);
  EXPECT_EQ(ring.sum(Window::kPanic), 127);
}

TEST(SecondRing, SecondsLeaveOneByOne) {
  auto ring = one_to_ten();
  ring.advance(12);
  EXPECT_EQ(ring.sum(Window::kStable), 55 - 1 - 2);
  EXPECT_EQ(ring.sum(Window::kPanic), 10);
  EXPECT_FALSE(ring.holds(2));
  EXPECT_TRUE(ring.holds(3));
}

TEST(SecondRing, ALongPauseEmptiesItAtOnce) {
  auto ring = one_to_ten();
  ring.advance(1'000'000'000);
  EXPECT_EQ(ring.sum(Window::kStable), 0);
  EXPECT_EQ(ring.sum(Window::kPanic), 0);
}

TEST(SecondRing, TheHeadNeverGoesBack) {
  auto ring = one_to_ten();
  ring.advance(4);
  EXPECT_EQ(ring.head(), 10);
  EXPECT_EQ(ring.sum(Window::kStable), 55);
}

TEST(SecondRing, BothWindowsMayBeOneSecondOrAFullRing) {
  for (const WindowLengths lengths : {WindowLengths{1, 1}, WindowLengths{64, 64}}) {
    SecondRing<std::int64_t> ring(lengths);
    for (Second s = 0; s < 200; ++s) {
      ring.advance(s);
      ring.add(s, 1);
    }
    EXPECT_EQ(ring.sum(Window::kStable), lengths.stable);
    EXPECT_EQ(ring.sum(Window::kPanic), lengths.panic);
  }
}

TEST(SecondRing, GrowsWithWhatItHoldsAndForgetsNothing) {
  // The sums of a long window against the plain sum of its seconds, with gaps, late amounts and a
  // jump beyond the window.
  constexpr Second kStable = 1000;
  constexpr Second kPanic = 90;
  SecondRing<std::int64_t> ring({.stable = kStable, .panic = kPanic});
  std::map<Second, std::int64_t> plain;
  const auto sum = [&](Second head, Second window) {
    std::int64_t total = 0;
    for (const auto& [second, amount] : plain) {
      if (second > head - window && second <= head) total += amount;
    }
    return total;
  };
  Second head = 0;
  for (int i = 0; i < 6'000; ++i) {
    head += i == 4'000 ? 3 * kStable : (i * 7) % 3;
    ring.advance(head);
    const Second late = (i * 131) % (i % 50 == 0 ? kStable : 3);
    ring.add(head - late, i);
    plain[head - late] += i;
    ASSERT_EQ(ring.sum(Window::kStable), sum(head, kStable)) << i;
    ASSERT_EQ(ring.sum(Window::kPanic), sum(head, kPanic)) << i;
  }
}

TEST(SecondRingResize, KeepsWhatBothLengthsHold) {
  auto ring = one_to_ten();
  ring.resize({.stable = 4, .panic = 2});
  EXPECT_EQ(ring.sum(Window::kStable), 7 + 8 + 9 + 10);
  EXPECT_EQ(ring.sum(Window::kPanic), 9 + 10);
  ring.resize({.stable = 100, .panic = 3});
  EXPECT_EQ(ring.sum(Window::kStable), 7 + 8 + 9 + 10);
  EXPECT_EQ(ring.sum(Window::kPanic), 8 + 9 + 10);
  EXPECT_EQ(ring.head(), 10);
}

/// What the weighted sum of the newest `seconds` of the numbers up to `head` is by its definition.
double weighted_of_numbers(Second head, Second seconds) {
  const double decay = 1 - newest_weight(seconds);
  double sum = 0;
  for (Second age = 0; age < seconds; ++age) {
    sum += static_cast<double>(head - age) * whole_power(decay, age);
  }
  return sum;
}

TEST(SecondRingWeighted, IsTheSameKeptFromTheStartOrComputedLater) {
  SecondRing<std::int64_t> kept({.stable = 10, .panic = 3});
  kept.weigh(true);
  for (Second s = 1; s <= 100; ++s) {
    kept.advance(s);
    kept.add(s, s);
  }
  SecondRing<std::int64_t> later = kept;
  later.weigh(false);
  later.weigh(true);
  for (const auto* ring : {&kept, &later}) {
    EXPECT_NEAR(ring->weighted(Window::kStable), weighted_of_numbers(100, 10), 1e-10);
    EXPECT_NEAR(ring->weighted(Window::kPanic), weighted_of_numbers(100, 3), 1e-10);
  }
}

TEST(SecondRingWeighted, ALateAmountWeighsLikeItsSecond) {
  auto ring = one_to_ten();
  ring.weigh(true);
  const double before = ring.weighted(Window::kStable);
  ring.add(7, 100);
  EXPECT_NEAR(ring.weighted(Window::kStable) - before, 100 * ring.weight(Window::kStable, 3),
              1e-12);
  EXPECT_NEAR(ring.weighted(Window::kPanic), weighted_of_numbers(10, 3), 1e-12);
}

TEST(SecondRingWeighted, ALongPauseEmptiesItAndOtherLengthsWeighAgain) {
  auto ring = one_to_ten();
  ring.weigh(true);
  ring.resize({.stable = 4, .panic = 2});
  EXPECT_NEAR(ring.weighted(Window::kStable), weighted_of_numbers(10, 4), 1e-12);
  ring.advance(1000);
  EXPECT_EQ(ring.weighted(Window::kStable), 0);
}

}  // namespace
}  // namespace bellows::metrics
