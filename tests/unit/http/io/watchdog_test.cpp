#include "http/io/watchdog.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace bellows::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Noted final : public Deadline {
 public:
  using Deadline::Deadline;
  std::function<void()> then = [] {};
  int times = 0;

 private:
  void on_deadline() override {
    ++times;
    then();
  }
};

/// Time moves in steps of a tick, as in the reactor.
class WatchdogStory : public testing::Test {
 protected:
  void run_for(Duration span) {
    for (const TimePoint end = now_ + span; now_ < end;) {
      now_ += Watchdog::kTick;
      watchdog_.advance(now_);
    }
  }

  TimePoint now_{std::chrono::hours(24)};
  Watchdog watchdog_;
};

TEST_F(WatchdogStory, TellsOnceWithinATickOfTheInstant) {
  watchdog_.advance(now_);
  Noted entry(watchdog_);
  entry.set_deadline(now_ + seconds(1));
  run_for(milliseconds(950));
  EXPECT_EQ(entry.times, 0);
  run_for(milliseconds(100));
  EXPECT_EQ(entry.times, 1);
  run_for(seconds(30));
  EXPECT_EQ(entry.times, 1);
}

TEST_F(WatchdogStory, FartherThanATurnOfTheWheelIsNotTooEarly) {
  watchdog_.advance(now_);
  Noted entry(watchdog_);
  entry.set_deadline(now_ + seconds(300));
  run_for(milliseconds(299'900));
  EXPECT_EQ(entry.times, 0);
  run_for(milliseconds(200));
  EXPECT_EQ(entry.times, 1);
}

TEST_F(WatchdogStory, PutOffPulledInAndCleared) {
  watchdog_.advance(now_);
  Noted later(watchdog_);
  Noted sooner(watchdog_);
  Noted never(watchdog_);
  for (Noted* entry : {&later, &sooner, &never}) entry->set_deadline(now_ + seconds(5));
  later.set_deadline(now_ + seconds(10));
  sooner.set_deadline(now_ + seconds(1));
  never.clear_deadline();
  run_for(milliseconds(1100));
  EXPECT_EQ(sooner.times, 1);
  run_for(seconds(6));
  EXPECT_EQ(later.times + never.times, 0);
  run_for(seconds(5));
  EXPECT_EQ(later.times, 1);
  EXPECT_EQ(never.times, 0);
  EXPECT_EQ(watchdog_.size(), 0U);
}

TEST_F(WatchdogStory, AnEntryMayEndItsNeighboursAndStartAnew) {
  watchdog_.advance(now_);
  Noted first(watchdog_);
  auto second = std::make_unique<Noted>(watchdog_);
  auto third = std::make_unique<Noted>(watchdog_);
  for (Noted* entry : {&first, second.get(), third.get()}) entry->set_deadline(now_ + seconds(1));
  const auto end_others = [&] {
    second.reset();
    first.set_deadline(now_ + seconds(1));
  };
  third->then = end_others;  // the latest is told first
  run_for(milliseconds(1100));
  EXPECT_EQ(first.times, 0) << "it was put off meanwhile";
  run_for(seconds(1));
  EXPECT_EQ(first.times, 1);
}

TEST_F(WatchdogStory, AfterALongSleepAllThatIsDueIsTold) {
  watchdog_.advance(now_);
  Noted near(watchdog_);
  Noted far(watchdog_);
  near.set_deadline(now_ + seconds(2));
  far.set_deadline(now_ + seconds(100));
  now_ += std::chrono::hours(1);
  watchdog_.advance(now_);
  EXPECT_EQ(near.times + far.times, 2);
}

TEST_F(WatchdogStory, WhatIsOverAlreadyIsToldAtTheNextTick) {
  watchdog_.advance(now_);
  Noted entry(watchdog_);
  entry.set_deadline(now_ - seconds(5));
  run_for(milliseconds(50));
  EXPECT_EQ(entry.times, 1);
}

}  // namespace
}  // namespace bellows::http
