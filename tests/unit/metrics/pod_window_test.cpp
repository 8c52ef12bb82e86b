#include "metrics/pod_window.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bellows::metrics {
namespace {

constexpr WindowLengths kLengths{.stable = 20, .panic = 4};
constexpr Second kJoined = 3;

PodAmounts load_of(double load) {
  return {.load = to_load_units(load), .peak = to_load_units(load), .rate = 0};
}

/// One report of load 1 in each of `seconds`, read at second 19.
PodWindow reported_in(const std::vector<Second>& seconds) {
  PodWindow pod(kLengths, kJoined);
  pod.advance(19);
  for (const Second s : seconds) pod.record(s, load_of(1));
  return pod;
}

std::int32_t life(const std::vector<Second>& seconds) {
  return reported_in(seconds).sum(Window::kStable).lived;
}

TEST(PodLife, IsTheSecondsWithAReport) {
  EXPECT_EQ(life({5}), 1);
  EXPECT_EQ(life({5, 6, 7}), 3);
}

TEST(PodLife, TakesInAPauseThatIsShortEnough) {
  EXPECT_EQ(life({5, 7}), 3);
  EXPECT_EQ(life({5, 8}), 4);
}

TEST(PodLife, LeavesOutALongerPause) {
  EXPECT_EQ(life({5, 9}), 2);
}

TEST(PodLife, DoesNotDependOnTheOrderOfReports) {
  EXPECT_EQ(life({8, 5, 11}), 7);
  EXPECT_EQ(life({11, 5, 8}), 7);
  EXPECT_EQ(life({5, 11, 8}), 7);
}

TEST(PodLife, AReportWithinAPauseThatWasTakenInAddsNone) {
  PodWindow pod = reported_in({5, 8});
  const SecondRange fresh = pod.record(6, load_of(1));
  EXPECT_GT(fresh.first, fresh.last);
  EXPECT_EQ(pod.sum(Window::kStable).lived, 4);
  EXPECT_EQ(pod.sum(Window::kStable).reports, 3);
}

TEST(PodLife, TheSecondsAReportAddsAreReturned) {
  PodWindow pod = reported_in({5, 11});
  const SecondRange fresh = pod.record(8, load_of(1));
  EXPECT_EQ(fresh.first, 6);
  EXPECT_EQ(fresh.last, 10);
}

TEST(PodWindow, TwoReportsInOneSecondAreOneSecondOfLife) {
  const PodWindow pod = reported_in({5, 5});
  EXPECT_EQ(pod.sum(Window::kStable), (PodSeconds{load_of(2), 2, 1}));
}

TEST(PodWindow, ThePanicWindowHoldsItsShareOfALife) {
  const PodWindow pod = reported_in({12, 15, 17});
  EXPECT_EQ(pod.sum(Window::kPanic), (PodSeconds{load_of(1), 1, 2}));
}

TEST(PodWindow, IsEmptyOnceItsLastReportHasLeft) {
  PodWindow pod = reported_in({5});
  pod.advance(24);
  EXPECT_FALSE(pod.is_empty());
  pod.advance(25);
  EXPECT_TRUE(pod.is_empty());
  EXPECT_EQ(pod.sum(Window::kStable), PodSeconds{});
}

TEST(PodWindow, AnHourOfNonsenseInManyReportsDoesNotOverflow) {
  constexpr WindowLengths kHour{.stable = 3600, .panic = 360};
  PodWindow pod(kHour, kJoined);
  for (Second s = 0; s < 3600; ++s) {
    pod.advance(s);
    for (int i = 0; i < 100; ++i) pod.record(s, load_of(1e9));
  }
  EXPECT_EQ(pod.sum(Window::kStable).amounts.load, 3600 * to_load_units(1e9));
}

TEST(LoadUnits, ResolveAMillionthOfARequest) {
  EXPECT_EQ(to_load_units(1), 1 << 20);
  EXPECT_EQ(to_load_units(0), 0);
  EXPECT_GT(to_load_units(1e-6), 0);
}

}  // namespace
}  // namespace bellows::metrics
