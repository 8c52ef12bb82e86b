// Numbers of cases are those of knative.md 7.5.
#include "proxy/core/breaker.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <deque>
#include <list>
#include <memory>
#include <vector>

#include "tests/support/start.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::seconds;
using test::kStart;

class Caller final : public BreakerEntry {
 public:
  int dequeues = 0;

 private:
  void on_dequeued() override { ++dequeues; }
};

Breaker breaker(SlotCount slots, std::int64_t depth, Duration age = Duration::zero()) {
  return Breaker({.slots = slots, .queue = {.count = depth, .bytes = Bytes{1000}, .age = age}});
}

TEST(BreakerCase92, OneRunsOneWaitsTheThirdIsRejected) {
  Breaker b = breaker(1, 1);
  const Slot first = b.try_acquire(kStart);
  EXPECT_TRUE(first);
  Caller second;
  EXPECT_FALSE(b.try_acquire(kStart));
  EXPECT_FALSE(b.enqueue(second, 1, kStart).has_value());
  Caller third;
  EXPECT_EQ(b.enqueue(third, 1, kStart), QueueFull::kCount);
  EXPECT_EQ(second.dequeues, 0);
}

TEST(BreakerCase93, AReleasedSlotServesThoseWhoWait) {
  Breaker b = breaker(1, 2);
  Slot running = b.try_acquire(kStart);
  Caller first;
  Caller second;
  ASSERT_FALSE(b.enqueue(first, 1, kStart));
  ASSERT_FALSE(b.enqueue(second, 1, kStart));
  running.release();
  EXPECT_TRUE(first.was_granted());
  EXPECT_FALSE(second.was_granted());
  first.take_slot().release();
  EXPECT_TRUE(second.was_granted());
}

TEST(BreakerWithNewLimits, GrantsNewSlotsToThoseWhoWaitInTheirOrder) {
  Breaker b = breaker(1, 5);
  const Slot running = b.try_acquire(kStart);
  std::deque<Caller> callers(3);
  for (Caller& caller : callers) ASSERT_FALSE(b.enqueue(caller, 1, kStart));
  b.set_limits({.slots = 3, .queue = {.count = 5, .bytes = Bytes{1000}, .age = {}}});
  EXPECT_TRUE(callers[0].was_granted() && callers[1].was_granted());
  EXPECT_FALSE(callers[2].was_granted());
  b.set_limits({.slots = std::nullopt, .queue = {.count = 0, .bytes = Bytes{1000}, .age = {}}});
  EXPECT_TRUE(callers[2].was_granted());
  EXPECT_EQ(b.waiting(), 0);
}

TEST(BreakerWithNewLimits, LeavesRunningRequestsTheirSlots) {
  Breaker b = breaker(std::nullopt, 0);
  Slot first = b.try_acquire(kStart);
  Slot second = b.try_acquire(kStart);
  b.set_limits({.slots = 1, .queue = {.count = 10, .bytes = Bytes{1000}, .age = {}}});
  Caller third;
  EXPECT_FALSE(b.try_acquire(kStart));
  ASSERT_FALSE(b.enqueue(third, 1, kStart));
  first.release();
  EXPECT_FALSE(third.was_granted()) << "one still runs";
  second.release();
  EXPECT_TRUE(third.was_granted());
}

TEST(BreakerCase93, ACallerThatLeavesMakesRoomInTheQueue) {
  Breaker b = breaker(0, 1);
  {
    Caller leaves;
    ASSERT_FALSE(b.enqueue(leaves, 1, kStart));
    Caller refused;
    EXPECT_EQ(b.enqueue(refused, 1, kStart), QueueFull::kCount);
  }
  Caller next;
  EXPECT_FALSE(b.enqueue(next, 1, kStart));
  EXPECT_EQ(b.waiting(), 1);
}

TEST(BreakerCase94, InvalidParametersAreRejectedWithTheirValue) {
  EXPECT_EQ(to_string(Breaker::check({.slots = -1, .queue = {.count = 1}}).error()),
            "slots: -1; want 0 or more");
  EXPECT_EQ(to_string(Breaker::check({.slots = 1, .queue = {.count = 0}}).error()),
            "queue depth: 0; want 1 or more");
  EXPECT_TRUE(Breaker::check({.slots = 0, .queue = {.count = 1}}));
}

TEST(BreakerCase95, NoSlotWhileFull) {
  Breaker b = breaker(1, 1);
  Slot held = b.try_acquire(kStart);
  EXPECT_FALSE(b.try_acquire(kStart));
  held.release();
  held.release();  // giving back an empty slot is nothing
  EXPECT_EQ(b.running(), 0);
  EXPECT_TRUE(b.try_acquire(kStart));
}

TEST(BreakerOrder, ALaterRequestNeverOvertakesAWaitingOne) {
  Breaker b = breaker(1, 10);
  Slot running = b.try_acquire(kStart);
  Caller waits;
  ASSERT_FALSE(b.enqueue(waits, 1, kStart));
  running.release();
  EXPECT_TRUE(waits.was_granted());
  EXPECT_FALSE(b.try_acquire(kStart)) << "the freed slot belongs to the one who waited";
}

TEST(BreakerQueue, BoundsBytesToo) {
  Breaker b = breaker(0, 10);
  Caller large;
  Caller small;
  Caller more;
  EXPECT_FALSE(b.enqueue(large, 900, kStart));
  EXPECT_EQ(b.enqueue(more, 200, kStart), QueueFull::kBytes);
  EXPECT_FALSE(b.enqueue(small, 100, kStart));
}

TEST(BreakerQueue, ExpiredEntriesLeaveInOrderAndTakeNoSlot) {
  Breaker b = breaker(1, 10, seconds(60));
  Slot running = b.try_acquire(kStart);
  Caller first;
  Caller second;
  ASSERT_FALSE(b.enqueue(first, 1, kStart));
  ASSERT_FALSE(b.enqueue(second, 1, kStart + seconds(10)));
  EXPECT_EQ(b.expire(kStart + seconds(59)), 0U);
  EXPECT_EQ(b.expire(kStart + seconds(60)), 1U);
  EXPECT_TRUE(first.has_expired());
  EXPECT_FALSE(second.has_expired());
  running.release();
  EXPECT_TRUE(second.was_granted());
}

TEST(BreakerSlots, NoLimitNeverQueues) {
  Breaker b = breaker(std::nullopt, 1);
  std::vector<Slot> slots;
  for (int i = 0; i < 1000; ++i) {
    slots.push_back(b.try_acquire(kStart));
    ASSERT_TRUE(slots.back());
  }
  EXPECT_EQ(b.running(), 1000);
  slots.clear();
  EXPECT_EQ(b.running(), 0);
}

TEST(BreakerEntry, ReleasesAGrantedSlotThatWasNotTaken) {
  Breaker b = breaker(1, 10);
  Slot running = b.try_acquire(kStart);
  Caller second;
  {
    Caller vanishes;
    ASSERT_FALSE(b.enqueue(vanishes, 1, kStart));
    ASSERT_FALSE(b.enqueue(second, 1, kStart));
    running.release();
    EXPECT_TRUE(vanishes.was_granted());
  }
  EXPECT_TRUE(second.was_granted());
  EXPECT_EQ(b.running(), 1);
}

/// A hundred requests in the queue and one that runs, each taking 100 ms.
class BusyBreaker {
 public:
  explicit BusyBreaker(TimePoint now) : now_(now) { burst_arrives(); }

  TimePoint now() const { return now_; }
  void idle(Duration duration) { now_ += duration; }
  void burst_arrives() {
    slot_ = breaker_.try_acquire(now_);
    for (Caller& caller : queues_.emplace_back(100)) breaker_.enqueue(caller, 1, now_);
  }
  /// Ends `count` requests, one after the other.
  void serves(int count) {
    for (int i = 0; i < count; ++i) {
      now_ += std::chrono::milliseconds(100);
      slot_.release();
      for (Caller& caller : queues_.back()) {
        if (Slot next = caller.take_slot()) slot_ = std::move(next);
      }
      if (slot_) breaker_.note_granted(now_);
    }
  }
  int retry_after() { return breaker_.retry_after_seconds(now_); }
  std::int64_t waiting() const { return breaker_.waiting(); }

 private:
  TimePoint now_;
  Breaker breaker_ = breaker(1, 100);
  std::list<std::deque<Caller>> queues_;
  Slot slot_;
};

TEST(RetryAfter, IgnoresTimeInWhichNoRequestWaited) {
  BusyBreaker app(kStart);
  EXPECT_EQ(app.retry_after(), 60) << "nothing is known yet";
  app.serves(50);
  EXPECT_EQ(app.waiting(), 50);
  EXPECT_EQ(app.retry_after(), 5) << "ten a second";
  app.serves(51);
  EXPECT_EQ(app.waiting(), 0);
  EXPECT_EQ(app.retry_after(), 1);

  app.idle(std::chrono::minutes(12));
  app.burst_arrives();
  EXPECT_EQ(app.waiting(), 100);
  EXPECT_EQ(app.retry_after(), 10) << "still ten a second, the last known rate";
  app.serves(10);
  EXPECT_EQ(app.retry_after(), 9);
}

TEST(RetryAfter, GrowsWhileTheQueueDoesNotMove) {
  BusyBreaker app(kStart);
  app.serves(80);  // in eight seconds
  EXPECT_EQ(app.waiting(), 20);
  EXPECT_EQ(app.retry_after(), 2);
  app.idle(seconds(5));
  EXPECT_EQ(app.retry_after(), 4) << "fifty in the last ten seconds";
  app.idle(seconds(15));
  EXPECT_EQ(app.retry_after(), 60);
}

TEST(DrainRate, GivesTheRetryAfter) {
  DrainRate rate;
  rate.advance(false, kStart);
  EXPECT_EQ(rate.retry_after_seconds(0, kStart), 1);
  EXPECT_EQ(rate.retry_after_seconds(5, kStart), 60) << "no slot became free";
  for (int second = 1; second <= 10; ++second) {
    for (int i = 0; i < 4; ++i) rate.note_freed();
    rate.advance(true, kStart + seconds(second));
  }
  const TimePoint now = kStart + seconds(10);
  EXPECT_DOUBLE_EQ(rate.per_second(now), 4);
  EXPECT_EQ(rate.retry_after_seconds(10, now), 3);
  EXPECT_EQ(rate.retry_after_seconds(1, now), 1);
  EXPECT_EQ(rate.retry_after_seconds(100'000, now), 60);
  EXPECT_NEAR(rate.per_second(now + seconds(5)), 2, 0.3)
      << "five seconds without a free slot count";
  EXPECT_EQ(rate.retry_after_seconds(1, now + seconds(20)), 60);
}

TEST(DrainRate, CountsSlotsThatBecameFreeAfterTheQueueWasEmpty) {
  DrainRate rate;
  rate.advance(false, kStart);
  for (int i = 0; i < 10; ++i)
    rate.note_freed();  // a queue that filled and drained between two calls
  const TimePoint later = kStart + seconds(100);
  rate.advance(false, later);
  EXPECT_EQ(rate.retry_after_seconds(20, later), 2) << "ten within the first second";
}

/// Any sequence of calls keeps the order, the limit and the counts.
RC_GTEST_PROP(BreakerProperty, GrantsInOrderNeverMoreThanTheLimit, ()) {
  Breaker b = breaker(*rc::gen::inRange(0, 4), 8);
  std::deque<std::unique_ptr<Caller>> queue;
  std::vector<Slot> slots;
  const auto collect = [&] {
    // Only the first ones in the queue are granted.
    while (!queue.empty() && queue.front()->was_granted()) {
      slots.push_back(queue.front()->take_slot());
      queue.pop_front();
    }
    for (const auto& caller : queue) RC_ASSERT(!caller->was_granted());
    RC_ASSERT(b.running() == static_cast<std::int64_t>(slots.size()));
    RC_ASSERT(b.waiting() == static_cast<std::int64_t>(queue.size()));
  };
  for (const int action : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 3))) {
    if (action == 0) {
      auto caller = std::make_unique<Caller>();
      Slot slot = b.try_acquire(kStart);
      if (slot) {
        RC_ASSERT(queue.empty());
        slots.push_back(std::move(slot));
      } else if (!b.enqueue(*caller, 1, kStart)) {
        queue.push_back(std::move(caller));
      }
    } else if (action == 1 && !slots.empty()) {
      slots.erase(slots.begin());
    } else if (action == 2 && !queue.empty()) {
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(queue.size() / 2));
    }
    collect();
  }
}

}  // namespace
}  // namespace bellows::proxy
