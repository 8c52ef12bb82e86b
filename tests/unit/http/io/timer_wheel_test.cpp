#include "http/io/timer_wheel.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace bellows::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class CountingTimer final : public Timer {
 public:
  using Timer::Timer;
  std::function<void()> then = [] {};
  int times = 0;

 private:
  void on_expiry() override {
    ++times;
    then();
  }
};

/// Time moves in steps of a tick, as in the reactor.
class TimerWheelTest : public testing::Test {
 protected:
  void run_for(Duration span) {
    for (const TimePoint end = now_ + span; now_ < end;) {
      now_ += TimerWheel::kTick;
      timers_.advance(now_);
    }
  }

  TimePoint now_{std::chrono::hours(24)};
  TimerWheel timers_;
};

TEST_F(TimerWheelTest, ExpiresOnceWithinATickOfTheDeadline) {
  timers_.advance(now_);
  CountingTimer entry(timers_);
  entry.set_deadline(now_ + seconds(1));
  run_for(milliseconds(950));
  EXPECT_EQ(entry.times, 0);
  run_for(milliseconds(100));
  EXPECT_EQ(entry.times, 1);
  run_for(seconds(30));
  EXPECT_EQ(entry.times, 1);
}

TEST_F(TimerWheelTest, ADeadlineMoreThanATurnAheadDoesNotExpireEarly) {
  timers_.advance(now_);
  CountingTimer entry(timers_);
  entry.set_deadline(now_ + seconds(300));
  run_for(milliseconds(299'900));
  EXPECT_EQ(entry.times, 0);
  run_for(milliseconds(200));
  EXPECT_EQ(entry.times, 1);
}

TEST_F(TimerWheelTest, ADeadlineIsPostponedAdvancedAndCleared) {
  timers_.advance(now_);
  CountingTimer later(timers_);
  CountingTimer sooner(timers_);
  CountingTimer never(timers_);
  for (CountingTimer* entry : {&later, &sooner, &never}) entry->set_deadline(now_ + seconds(5));
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
  EXPECT_EQ(timers_.size(), 0U);
}

TEST_F(TimerWheelTest, AnExpiringEntryMayDestroyItsNeighboursAndSetANewDeadline) {
  timers_.advance(now_);
  CountingTimer first(timers_);
  auto second = std::make_unique<CountingTimer>(timers_);
  auto third = std::make_unique<CountingTimer>(timers_);
  for (CountingTimer* entry : {&first, second.get(), third.get()})
    entry->set_deadline(now_ + seconds(1));
  const auto end_others = [&] {
    second.reset();
    first.set_deadline(now_ + seconds(1));
  };
  third->then = end_others;  // the one linked last expires first
  run_for(milliseconds(1100));
  EXPECT_EQ(first.times, 0) << "it was put off meanwhile";
  run_for(seconds(1));
  EXPECT_EQ(first.times, 1);
}

TEST_F(TimerWheelTest, AfterALongSleepAllDueEntriesExpire) {
  timers_.advance(now_);
  CountingTimer near(timers_);
  CountingTimer far(timers_);
  near.set_deadline(now_ + seconds(2));
  far.set_deadline(now_ + seconds(100));
  now_ += std::chrono::hours(1);
  timers_.advance(now_);
  EXPECT_EQ(near.times + far.times, 2);
}

TEST_F(TimerWheelTest, ADeadlineInThePastExpiresAtTheNextTick) {
  timers_.advance(now_);
  CountingTimer entry(timers_);
  entry.set_deadline(now_ - seconds(5));
  run_for(milliseconds(50));
  EXPECT_EQ(entry.times, 1);
}

}  // namespace
}  // namespace bellows::http
