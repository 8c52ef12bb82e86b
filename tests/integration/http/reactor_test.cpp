// Who goes on when: flows that wait, flows that always have more to do.
#include "http/io/reactor.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/io/flow.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows::http {
namespace {

using Diary = std::vector<std::string>;

/// Does a little, three times, and could go on at once each time.
Flow<void> work(Waiter& waiter, Diary& diary) {
  for (int i = 0; i < 3; ++i) {
    diary.emplace_back("works");
    waiter.wake();
    co_await waiter.wait();
  }
}

Flow<void> listen(Waiter& waiter, Diary& diary) {
  co_await waiter.wait();
  diary.emplace_back("hears");
}

TEST(Waiter, ThatWokeItselfLetsThoseGoFirstWhoWereWokenMeanwhile) {
  net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock;
  Reactor reactor(io, clock);
  Waiter busy(reactor);
  Waiter idle(reactor);
  Diary diary;
  Flow<void> listener = listen(idle, diary);
  listener.start();
  idle.wake();
  Flow<void> worker = work(busy, diary);
  worker.start();
  io.poll();
  EXPECT_EQ(diary, (Diary{"works", "hears", "works", "works"}));
  EXPECT_TRUE(worker.is_done());
}

TEST(Waiter, WokenBeforeItWaitsGoesOnAllTheSame) {
  net::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock;
  Reactor reactor(io, clock);
  Waiter early(reactor);
  Diary diary;
  early.wake();
  Flow<void> listener = listen(early, diary);
  listener.start();
  io.poll();
  EXPECT_EQ(diary, (Diary{"hears"}));
}

}  // namespace
}  // namespace bellows::http
