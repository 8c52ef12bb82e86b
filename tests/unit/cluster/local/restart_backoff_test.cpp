#include "cluster/local/restart_backoff.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;

std::vector<Duration> next_waits(RestartBackoff& delay, int count) {
  std::vector<Duration> waits;
  for (int i = 0; i < count; ++i) waits.push_back(delay.next());
  return waits;
}

TEST(RestartBackoffOfAnApp, DoublesUpToTenSeconds) {
  RestartBackoff delay(RestartBackoff::kMin);
  EXPECT_EQ(next_waits(delay, 9),
            (std::vector<Duration>{100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 10s, 10s}));
  delay.reset();
  EXPECT_EQ(delay.next(), 100ms);
}

TEST(RestartBackoffOfAQueueProxy, IsZeroTheFirstTime) {
  RestartBackoff delay(Duration::zero());
  EXPECT_EQ(next_waits(delay, 4), (std::vector<Duration>{0s, 100ms, 200ms, 400ms}));
  delay.reset();
  EXPECT_EQ(delay.next(), 0s);
}

// Ten replicas that crash for one reason are spread over seconds.
TEST(RestartBackoffOfAnApp, WithRandomnessSpreadsLongDelaysButNotTheFirst) {
  SeededRandom random(7);
  RestartBackoff first(RestartBackoff::kMin, &random);
  RestartBackoff second(RestartBackoff::kMin, &random);
  EXPECT_EQ(first.next(), 100ms);
  EXPECT_EQ(second.next(), 100ms);
  for (Duration exact = 200ms; exact < 10s; exact *= 2) {
    const Duration one = first.next();
    const Duration other = second.next();
    for (const Duration wait : {one, other}) {
      EXPECT_GE(wait, exact / 2);
      EXPECT_LE(wait, exact);
    }
    EXPECT_NE(one, other);
  }
}

}  // namespace
}  // namespace bellows::cluster
