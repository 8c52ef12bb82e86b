// Numbers of cases are those of knative.md 7.5.
#include "proxy/core/breaker.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <deque>
#include <list>
#include <memory>
#include <vector>

namespace bellows::proxy {
namespace {

using std::chrono::seconds;

const TimePoint kStart{std::chrono::hours(24)};

class Caller final : public BreakerTicket {
 public:
  int turns = 0;

 private:
  void on_turn() override { ++turns; }
};

Breaker breaker(SlotCount slots, std::int64_t depth, Duration age = Duration::zero()) {
  return Breaker({.slots = slots, .line = {.count = depth, .bytes = Bytes{1000}, .age = age}});
}

TEST(BreakerCase92, OneRunsOneWaitsTheThirdIsTurnedAway) {
  Breaker b = breaker(1, 1);
  const Slot first = b.try_enter(kStart);
  EXPECT_TRUE(first);
  Caller second;
  EXPECT_FALSE(b.try_enter(kStart));
  EXPECT_FALSE(b.wait(second, 1, kStart).has_value());
  Caller third;
  EXPECT_EQ(b.wait(third, 1, kStart), LineFull::kCount);
  EXPECT_EQ(second.turns, 0);
}

TEST(BreakerCase93, CapacityThatComesLaterServesThoseWhoWait) {
  Breaker b = breaker(0, 2);
  Caller first;
  Caller second;
  ASSERT_FALSE(b.wait(first, 1, kStart));
  ASSERT_FALSE(b.wait(second, 1, kStart));
  b.set_slots(1, kStart);
  EXPECT_TRUE(first.was_granted());
  EXPECT_FALSE(second.was_granted());
  first.take_slot().release();
  EXPECT_TRUE(second.was_granted());
}

TEST(BreakerCase93, ACallerWhoLeavesMakesRoomInTheLine) {
  Breaker b = breaker(0, 1);
  {
    Caller leaves;
    ASSERT_FALSE(b.wait(leaves, 1, kStart));
    Caller refused;
    EXPECT_EQ(b.wait(refused, 1, kStart), LineFull::kCount);
  }
  Caller next;
  EXPECT_FALSE(b.wait(next, 1, kStart));
  EXPECT_EQ(b.waiting(), 1);
}

TEST(BreakerCase94, BadParametersAreRefusedWithTheirValue) {
  EXPECT_EQ(to_string(Breaker::check({.slots = -1, .line = {.count = 1}}).error()),
            "slots: -1; want 0 or more");
  EXPECT_EQ(to_string(Breaker::check({.slots = 1, .line = {.count = 0}}).error()),
            "queue depth: 0; want 1 or more");
  EXPECT_TRUE(Breaker::check({.slots = 0, .line = {.count = 1}}));
}

TEST(BreakerCase95, NoSlotWhileFull) {
  Breaker b = breaker(1, 1);
  Slot held = b.try_enter(kStart);
  EXPECT_FALSE(b.try_enter(kStart));
  held.release();
  held.release();  // giving back an empty slot is nothing
  EXPECT_EQ(b.running(), 0);
  EXPECT_TRUE(b.try_enter(kStart));
}

TEST(BreakerOrder, WhoComesLaterNeverOvertakesWhoWaits) {
  Breaker b = breaker(1, 10);
  Slot running = b.try_enter(kStart);
  Caller waits;
  ASSERT_FALSE(b.wait(waits, 1, kStart));
  running.release();
  EXPECT_TRUE(waits.was_granted());
  EXPECT_FALSE(b.try_enter(kStart)) << "the freed slot belongs to the one who waited";
}

TEST(BreakerLine, BoundsBytesToo) {
  Breaker b = breaker(0, 10);
  Caller large;
  Caller small;
  Caller more;
  EXPECT_FALSE(b.wait(large, 900, kStart));
  EXPECT_EQ(b.wait(more, 200, kStart), LineFull::kBytes);
  EXPECT_FALSE(b.wait(small, 100, kStart));
}

TEST(BreakerLine, TooOldLeavesInOrderAndCostsNothing) {
  Breaker b = breaker(0, 10, seconds(60));
  Caller first;
  Caller second;
  ASSERT_FALSE(b.wait(first, 1, kStart));
  ASSERT_FALSE(b.wait(second, 1, kStart + seconds(10)));
  EXPECT_EQ(b.expire(kStart + seconds(59)), 0U);
  EXPECT_EQ(b.expire(kStart + seconds(60)), 1U);
  EXPECT_TRUE(first.has_expired());
  EXPECT_FALSE(second.has_expired());
  b.set_slots(1, kStart + seconds(61));
  EXPECT_TRUE(second.was_granted());
}

TEST(BreakerSlots, FewerTakeEffectAsRequestsEnd) {
  Breaker b = breaker(2, 10);
  Slot one = b.try_enter(kStart);
  Slot two = b.try_enter(kStart);
  b.set_slots(1, kStart);
  Caller waits;
  ASSERT_FALSE(b.wait(waits, 1, kStart));
  one.release();
  EXPECT_FALSE(waits.was_granted());
  two.release();
  EXPECT_TRUE(waits.was_granted());
}

TEST(BreakerSlots, NoLimitNeverQueues) {
  Breaker b = breaker(std::nullopt, 1);
  std::vector<Slot> slots;
  for (int i = 0; i < 1000; ++i) {
    slots.push_back(b.try_enter(kStart));
    ASSERT_TRUE(slots.back());
  }
  EXPECT_EQ(b.running(), 1000);
  slots.clear();
  EXPECT_EQ(b.running(), 0);
}

TEST(BreakerTicket, AGrantNobodyTookIsGivenBack) {
  Breaker b = breaker(0, 10);
  Caller second;
  {
    Caller vanishes;
    ASSERT_FALSE(b.wait(vanishes, 1, kStart));
    ASSERT_FALSE(b.wait(second, 1, kStart));
    b.set_slots(1, kStart);
    EXPECT_TRUE(vanishes.was_granted());
  }
  EXPECT_TRUE(second.was_granted());
  EXPECT_EQ(b.running(), 1);
}

/// A hundred requests in line behind one that runs, each taking 100 ms.
class BusyBreaker {
 public:
  explicit BusyBreaker(TimePoint now) : now_(now) { crowd_comes(); }

  TimePoint now() const { return now_; }
  void silence(Duration duration) { now_ += duration; }
  void crowd_comes() {
    slot_ = breaker_.try_enter(now_);
    for (Caller& caller : line_.emplace_back(100)) breaker_.wait(caller, 1, now_);
  }
  /// Ends one after the other, until so many more wait.
  void serves(int count) {
    for (int i = 0; i < count; ++i) {
      now_ += std::chrono::milliseconds(100);
      slot_.release();
      for (Caller& caller : line_.back()) {
        if (Slot next = caller.take_slot()) slot_ = std::move(next);
      }
      if (slot_) breaker_.note_turn(now_);
    }
  }
  int retry_after() { return breaker_.retry_after_seconds(now_); }
  std::int64_t waiting() const { return breaker_.waiting(); }

 private:
  TimePoint now_;
  Breaker breaker_ = breaker(1, 100);
  std::list<std::deque<Caller>> line_;
  Slot slot_;
};

TEST(RetryAfter, IsNoLongerForASilenceInWhichNobodyWaited) {
  BusyBreaker app(kStart);
  EXPECT_EQ(app.retry_after(), 60) << "nothing is known yet";
  app.serves(50);
  EXPECT_EQ(app.waiting(), 50);
  EXPECT_EQ(app.retry_after(), 5) << "ten a second";
  app.serves(51);
  EXPECT_EQ(app.waiting(), 0);
  EXPECT_EQ(app.retry_after(), 1);

  app.silence(std::chrono::minutes(12));
  app.crowd_comes();
  EXPECT_EQ(app.waiting(), 100);
  EXPECT_EQ(app.retry_after(), 10) << "still ten a second, as far as one knows";
  app.serves(10);
  EXPECT_EQ(app.retry_after(), 9);
}

TEST(RetryAfter, GrowsWhileALineStandsStill) {
  BusyBreaker app(kStart);
  app.serves(80);  // in eight seconds
  EXPECT_EQ(app.waiting(), 20);
  EXPECT_EQ(app.retry_after(), 2);
  app.silence(seconds(5));
  EXPECT_EQ(app.retry_after(), 4) << "fifty in the last ten seconds";
  app.silence(seconds(15));
  EXPECT_EQ(app.retry_after(), 60);
}

TEST(DrainRate, TellsWhenToComeBack) {
  DrainRate rate;
  rate.pass(false, kStart);
  EXPECT_EQ(rate.retry_after_seconds(0, kStart), 1);
  EXPECT_EQ(rate.retry_after_seconds(5, kStart), 60) << "nothing has moved";
  for (int second = 1; second <= 10; ++second) {
    for (int i = 0; i < 4; ++i) rate.freed();
    rate.pass(true, kStart + seconds(second));
  }
  const TimePoint now = kStart + seconds(10);
  EXPECT_DOUBLE_EQ(rate.per_second(now), 4);
  EXPECT_EQ(rate.retry_after_seconds(10, now), 3);
  EXPECT_EQ(rate.retry_after_seconds(1, now), 1);
  EXPECT_EQ(rate.retry_after_seconds(100'000, now), 60);
  EXPECT_NEAR(rate.per_second(now + seconds(5)), 2, 0.3) << "five seconds that moved nobody count";
  EXPECT_EQ(rate.retry_after_seconds(1, now + seconds(20)), 60);
}

TEST(DrainRate, CountsWhatBecameFreeWhenTheLineIsGone) {
  DrainRate rate;
  rate.pass(false, kStart);
  for (int i = 0; i < 10; ++i) rate.freed();  // a line that came and went between two calls
  const TimePoint later = kStart + seconds(100);
  rate.pass(false, later);
  EXPECT_EQ(rate.retry_after_seconds(20, later), 2) << "ten within the first second";
}

/// Any mix of calls keeps the order, the limit and the counts.
RC_GTEST_PROP(BreakerProperty, GrantsInOrderNeverMoreThanTheLimit, ()) {
  Breaker b = breaker(*rc::gen::inRange(0, 4), 8);
  std::deque<std::unique_ptr<Caller>> line;
  std::vector<Slot> slots;
  const auto collect = [&] {
    // Whoever was granted must be the first of those who wait.
    while (!line.empty() && line.front()->was_granted()) {
      slots.push_back(line.front()->take_slot());
      line.pop_front();
    }
    for (const auto& caller : line) RC_ASSERT(!caller->was_granted());
    RC_ASSERT(b.running() == static_cast<std::int64_t>(slots.size()));
    RC_ASSERT(b.waiting() == static_cast<std::int64_t>(line.size()));
  };
  for (const int action : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5))) {
    if (action == 0) {
      auto caller = std::make_unique<Caller>();
      Slot slot = b.try_enter(kStart);
      if (slot) {
        RC_ASSERT(line.empty());
        slots.push_back(std::move(slot));
      } else if (!b.wait(*caller, 1, kStart)) {
        line.push_back(std::move(caller));
      }
    } else if (action == 1 && !slots.empty()) {
      slots.erase(slots.begin());
    } else if (action == 2 && !line.empty()) {
      line.erase(line.begin() + static_cast<std::ptrdiff_t>(line.size() / 2));
    } else if (action >= 3) {
      b.set_slots(*rc::gen::inRange(0, 5), kStart);
    }
    collect();
  }
}

}  // namespace
}  // namespace bellows::proxy
