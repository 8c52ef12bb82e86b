// The order in which tasks run: tasks that wait, tasks that always have more to do.
#include "http/io/reactor.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/sys/descriptor.hpp"
#include "http/io/task.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows::http {
namespace {

using Diary = std::vector<std::string>;

/// Yields three times, and could continue at once each time.
Task<void> work(Waiter& waiter, Diary& diary) {
  for (int i = 0; i < 3; ++i) {
    diary.emplace_back("works");
    waiter.wake();
    co_await waiter.wait();
  }
}

Task<void> listen(Waiter& waiter, Diary& diary) {
  co_await waiter.wait();
  diary.emplace_back("hears");
}

class WaiterTest : public testing::Test {
 protected:
  net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock;
  Reactor reactor{io, clock};
  Diary diary;
};

TEST_F(WaiterTest, ATaskThatWokeItselfRunsAfterThoseWokenMeanwhile) {
  Waiter busy(reactor);
  Waiter idle(reactor);
  Task<void> listener = listen(idle, diary);
  listener.start();
  idle.wake();
  Task<void> worker = work(busy, diary);
  worker.start();
  io.poll();
  EXPECT_EQ(diary, (Diary{"works", "hears", "works", "works"}));
  EXPECT_TRUE(worker.is_done());
}

TEST_F(WaiterTest, LinksAreEmptyAfterItsDestruction) {
  WaiterLink first;
  WaiterLink second;
  WaiterLink third;
  {
    Waiter waiter(reactor);
    for (WaiterLink* const link : {&first, &second, &third}) link->lead_to(&waiter);
    second.leave();
    EXPECT_EQ(second.get(), nullptr);
    EXPECT_EQ(first.get(), &waiter);
  }
  EXPECT_EQ(first.get(), nullptr);
  EXPECT_EQ(third.get(), nullptr);
}

TEST_F(WaiterTest, ALinkThatGoesFirstOrLeadsElsewhereIsForgotten) {
  Waiter waiter(reactor);
  Waiter other(reactor);
  WaiterLink stays;
  stays.lead_to(&waiter);
  {
    WaiterLink goes;
    goes.lead_to(&waiter);
  }
  stays.lead_to(&other);
  EXPECT_EQ(stays.get(), &other);
  stays.lead_to(nullptr);
  EXPECT_EQ(stays.get(), nullptr);
}

TEST_F(WaiterTest, AWakeBeforeTheWaitIsRemembered) {
  Waiter early(reactor);
  early.wake();
  Task<void> listener = listen(early, diary);
  listener.start();
  io.poll();
  EXPECT_EQ(diary, (Diary{"hears"}));
}

TEST_F(WaiterTest, DestroyedWhileQueuedItDoesNotAffectTheOthers) {
  std::vector<std::unique_ptr<Waiter>> waiters;
  std::vector<Task<void>> tasks;
  for (int i = 0; i < 5; ++i) {
    waiters.push_back(std::make_unique<Waiter>(reactor));
    tasks.push_back(listen(*waiters.back(), diary));
    tasks.back().start();
    waiters.back()->wake();
  }
  for (const std::size_t gone : {0U, 2U, 4U}) {  // the first, one in the middle, the last
    tasks[gone] = {};
    waiters[gone].reset();
  }
  io.poll();
  EXPECT_EQ(diary, (Diary{"hears", "hears"}));
  EXPECT_TRUE(tasks[1].is_done());
  EXPECT_TRUE(tasks[3].is_done());
}

TEST_F(WaiterTest, DestroyedByATaskQueuedBeforeItDoesNotRun) {
  Waiter first(reactor);
  auto second = std::make_unique<Waiter>(reactor);
  Task<void> victim = listen(*second, diary);
  const auto end_it = [](Waiter& own, Task<void>& task,
                         std::unique_ptr<Waiter>& waiter) -> Task<void> {
    co_await own.wait();
    task = {};
    waiter.reset();
  };
  Task<void> culprit = end_it(first, victim, second);
  victim.start();
  culprit.start();
  first.wake();
  second->wake();
  io.poll();
  EXPECT_TRUE(culprit.is_done());
  EXPECT_EQ(diary, Diary{});
}

TEST_F(WaiterTest, WorkThatMayWaitRunsAfterTheOthersUnlessItIsHastened) {
  const auto write = [this](Waiter& waiter, std::string text) -> Task<void> {
    co_await waiter.wait();
    diary.push_back(text);
  };
  Waiter early(reactor);
  Waiter patient(reactor);
  Waiter hastened(reactor);
  Waiter hasty(reactor);
  early.wake_last();  // before its task waits: remembered, and it still may wait
  Task<void> tasks[] = {write(early, "early"), write(patient, "patient"),
                        write(hastened, "hastened"), write(hasty, "hasty")};
  for (Task<void>& task : tasks) task.start();
  patient.wake_last();
  hastened.wake_last();
  hasty.wake();
  hastened.wake();
  io.poll();
  EXPECT_EQ(diary, (Diary{"hasty", "hastened", "early", "patient"}));
}

TEST_F(WaiterTest, ManyWhoseDeadlinesEndTogetherRunAfterOnesThatWereWoken) {
  Waiter overdue(reactor);
  Waiter woken(reactor);
  Task<void> late = listen(overdue, diary);
  const auto answer = [&]() -> Task<void> {
    co_await woken.wait();
    diary.emplace_back("answers");
  };
  Task<void> other = answer();
  late.start();
  other.start();
  overdue.set_deadline(clock.now() + std::chrono::seconds(1));
  clock.advance(std::chrono::seconds(2));
  woken.wake();
  reactor.tick();
  EXPECT_EQ(diary, (Diary{"answers", "hears"}));
}

/// Tasks that each take some time and may wait, beside one that takes some in each turn.
class PatientTasks : public WaiterTest {
 protected:
  static Task<void> take(Waiter& waiter, test::ManualClock& clock, Duration duration, int& done) {
    co_await waiter.wait();
    clock.advance(duration);
    ++done;
  }
  /// Once in each turn of the loop: notes how many of the patient tasks have run.
  Task<void> each_turn(Duration duration) {
    while (done < kTasks) {
      busy.wake();
      co_await busy.wait();
      clock.advance(duration);
      done_at_turn.push_back(done);
    }
  }
  /// How many run in each turn, from the first on.
  std::vector<int> run(Duration patient_takes, Duration busy_takes) {
    std::vector<std::unique_ptr<Waiter>> waiters;
    std::vector<Task<void>> tasks;
    for (int i = 0; i < kTasks; ++i) {
      waiters.push_back(std::make_unique<Waiter>(reactor));
      tasks.push_back(take(*waiters.back(), clock, patient_takes, done));
      tasks.back().start();
      waiters.back()->wake_last();
    }
    Task<void> turns = each_turn(busy_takes);
    turns.start();
    while (io.poll() != 0) {
    }
    EXPECT_TRUE(turns.is_done());
    std::vector<int> in_turn;
    for (std::size_t i = 1; i < done_at_turn.size(); ++i) {
      in_turn.push_back(done_at_turn[i] - done_at_turn[i - 1]);
    }
    return in_turn;
  }

  static constexpr int kTasks = 12;
  Waiter busy{reactor};
  int done = 0;
  std::vector<int> done_at_turn;
};

TEST_F(PatientTasks, LongOnesRunOneInATurn) {
  EXPECT_EQ(run(std::chrono::milliseconds(1), Duration::zero()), std::vector<int>(kTasks, 1));
}

TEST_F(PatientTasks, ShortOnesRunForAMoment) {
  EXPECT_EQ(run(std::chrono::microseconds(30), Duration::zero()), (std::vector<int>{4, 4, 4}));
}

TEST_F(PatientTasks, ABusyLoopGivesThemHalfOfItsTime) {
  EXPECT_EQ(run(std::chrono::milliseconds(1), std::chrono::milliseconds(3)),
            (std::vector<int>{3, 3, 3, 3}));
}

/// Counts its events.
struct Counter final : EventHandler {
  void on_events(std::uint32_t /*epoll_events*/) override { ++notified; }
  int notified = 0;
};

TEST(Reactor, OnceStoppedTheIoContextReturnsAndNoEventIsDispatched) {
  net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock;
  Reactor reactor(io, clock);
  Waiter waiter(reactor);
  waiter.set_deadline(clock.now() + std::chrono::hours(1));
  const sys::Descriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  Counter counter;
  ASSERT_TRUE(reactor.add(event.get(), counter).has_value());
  while (io.poll() != 0) {
  }
  ASSERT_EQ(counter.notified, 1);
  reactor.stop();
  ASSERT_EQ(::eventfd_write(event.get(), 1), 0);
  io.run();  // returns: neither sockets nor the deadline keep it
  EXPECT_EQ(counter.notified, 1);
}

TEST(Reactor, ATurnHasTheTimeOfItsBegin) {
  net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock;
  Reactor reactor(io, clock);
  Waiter waiter(reactor);
  std::vector<TimePoint> began;
  const auto note_turns = [&]() -> Task<void> {
    for (int turn = 0; turn < 2; ++turn) {
      co_await waiter.wait();
      began.push_back(reactor.turn_began());
      clock.advance(std::chrono::seconds(1));
      began.push_back(reactor.turn_began());
    }
  };
  const TimePoint start = clock.now();
  Task<void> task = note_turns();
  task.start();
  for (int turn = 0; turn < 2; ++turn) {
    clock.advance(std::chrono::hours(1));
    EXPECT_EQ(reactor.turn_began(), clock.now());
    waiter.wake();
    io.poll();
  }
  const TimePoint first = start + std::chrono::hours(1);
  const TimePoint second = first + std::chrono::hours(1) + std::chrono::seconds(1);
  EXPECT_EQ(began, (std::vector<TimePoint>{first, first, second, second}));
}

TEST(Reactor, MoreEventsThanOneBatchAreAllDispatched) {
  net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock;
  Reactor reactor(io, clock);
  constexpr int kMany = 600;  // a batch has 256
  std::vector<sys::Descriptor> events;
  std::vector<Counter> counters(kMany);
  for (Counter& counter : counters) {
    events.emplace_back(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    ASSERT_TRUE(reactor.add(events.back().get(), counter).has_value());
  }
  while (io.poll() != 0) {
  }
  for (const Counter& counter : counters) EXPECT_EQ(counter.notified, 1);
}

}  // namespace
}  // namespace bellows::http
