#include "http/io/task_group.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <memory>
#include <vector>

#include "base/sys/clock.hpp"
#include "tests/integration/http/service_world.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::http {
namespace {

using test::run_task;
using namespace std::chrono_literals;

/// Lets everything that is ready run first.
Awaitable<void> yield_once() {
  co_await net::post(co_await net::this_coro::executor, net::use_awaitable_t<Executor>{});
}

TEST(TaskGroup, JoinEndsWhenTheLastTaskHasEnded) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    TaskGroup group(io);
    int ended = 0;
    for (const Duration duration : {1ms, 3ms, 2ms}) {
      group.spawn("short", [&ended, duration]() -> Awaitable<void> {
        EXPECT_TRUE(co_await sleep_for(duration));
        ++ended;
      });
    }
    EXPECT_EQ(group.running(), 3U);
    EXPECT_TRUE((co_await group.join(in(5s))).has_value());
    EXPECT_EQ(ended, 3);
    EXPECT_EQ(group.running(), 0U);
  });
}

TEST(TaskGroup, JoinOfAnEmptyGroupEndsAtOnceEvenAfterItsDeadline) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    TaskGroup group(io);
    EXPECT_TRUE((co_await group.join(in(-1s))).has_value());
  });
}

TEST(TaskGroup, StopEndsTheCurrentWaitAndTheNextCoAwaitThrows) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    TaskGroup group(io);
    std::vector<std::string> seen;
    group.spawn("sleeper", [&seen]() -> Awaitable<void> {
      seen.emplace_back(co_await sleep_for(1h) ? "slept" : "cancelled");
      co_await sleep_for(1h);
      seen.emplace_back("stayed");
    });
    group.stop();
    EXPECT_TRUE((co_await group.join(in(5s))).has_value());
    EXPECT_EQ(seen, std::vector<std::string>{"cancelled"});
  });
}

TEST(TaskGroup, StopReachesASleeperWhoseTimeIsUpButWhichHasNotResumed) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    TaskGroup group(io);
    std::vector<std::string> seen;
    const TimePoint soon = in(1ms);
    group.spawn("sleeper", [&]() -> Awaitable<void> {
      seen.emplace_back(co_await sleep_until(soon + 1ms) ? "slept" : "cancelled");
    });
    net::post(io, [soon] {  // blocks the thread until both times are up
      while (in(0s) < soon + 5ms) {
      }
    });
    co_await sleep_until(soon);
    group.stop();
    EXPECT_TRUE((co_await group.join(in(5s))).has_value());
    EXPECT_EQ(seen, std::vector<std::string>{"cancelled"});
  });
}

TEST(TaskGroup, ATaskStoppedBeforeItsFirstWaitEndsToo) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    TaskGroup group(io);
    bool is_past_wait = false;
    group.spawn("stops its own group", [&]() -> Awaitable<void> {
      group.stop();
      co_await sleep_for(1h);
      is_past_wait = true;
    });
    EXPECT_TRUE((co_await group.join(in(5s))).has_value());
    EXPECT_FALSE(is_past_wait);
  });
}

TEST(TaskGroup, StoppedBeforeTheIoContextRunsTheTaskEndsWithoutWaiting) {
  net::io_context io;
  TaskGroup group(io);
  group.spawn("early", []() -> Awaitable<void> { co_await sleep_for(1h); });
  group.stop();
  const auto joined = run_task<Result<void>>(io, [&] { return group.join(in(5s)); });
  EXPECT_TRUE(joined.has_value());
}

TEST(TaskGroup, JoinNamesTheTasksLeftAtItsDeadline) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    TaskGroup group(io);
    group.spawn("quick", []() -> Awaitable<void> { co_return; });
    group.spawn("stat stream to 127.0.0.1:9000",
                []() -> Awaitable<void> { co_await sleep_for(1h); });
    group.spawn("probe of web-1", []() -> Awaitable<void> { co_await sleep_for(1h); });
    const Result<void> joined = co_await group.join(in(5ms));
    if (joined.has_value()) throw std::logic_error("joined although two tasks sleep");
    EXPECT_EQ(joined.error().kind(), ErrorKind::kTimeout);
    EXPECT_EQ(joined.error().culprit(), "tasks stat stream to 127.0.0.1:9000, probe of web-1");
  });
}

TEST(TaskGroup, NothingIsStartedAfterStop) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    TaskGroup group(io);
    group.stop();
    bool has_started = false;
    group.spawn("late", [&]() -> Awaitable<void> {
      has_started = true;
      co_return;
    });
    EXPECT_EQ(group.running(), 0U);
    co_await yield_once();
    EXPECT_FALSE(has_started);
  });
}

TEST(TaskGroup, ADestroyedGroupStopsItsTasksAndFreesThem) {
  const auto token = std::make_shared<int>(0);
  run_task([&](net::io_context& io) -> Awaitable<void> {
    bool was_cancelled = false;
    {
      TaskGroup group(io);
      group.spawn("orphan", [token, &was_cancelled]() -> Awaitable<void> {
        was_cancelled = !co_await sleep_for(1h);
      });
      EXPECT_EQ(token.use_count(), 2);
    }
    while (token.use_count() > 1) co_await yield_once();
    EXPECT_TRUE(was_cancelled);
  });
}

TEST(TaskGroup, TasksThatNeverRunAgainAreFreedWithTheIoContext) {
  const auto token = std::make_shared<int>(0);
  {
    net::io_context io;
    TaskGroup group(io);
    group.spawn("never run", [token]() -> Awaitable<void> { co_await sleep_for(1h); });
  }
  {
    net::io_context io;
    TaskGroup group(io);
    group.spawn("waiting", [token]() -> Awaitable<void> { co_await sleep_for(1h); });
    io.poll();
  }
  EXPECT_EQ(token.use_count(), 1);
}

TEST(TaskGroupDeathTest, AnExceptionThatLeavesATaskEndsTheProgramAndNamesTheTask) {
  EXPECT_DEATH(
      {
        net::io_context io;
        TaskGroup group(io);
        group.spawn("stat stream", []() -> Awaitable<void> {
          co_await sleep_for(1ms);
          throw std::runtime_error("no such pod");
        });
        io.run();
      },
      "stat stream.*no such pod");
}

TEST(TaskGroupDeathTest, OperationAbortedWithoutStopIsADefectToo) {
  EXPECT_DEATH(
      {
        net::io_context io;
        TaskGroup group(io);
        group.spawn("careless", []() -> Awaitable<void> {
          throw boost::system::system_error(net::error::operation_aborted);
          co_return;
        });
        io.run();
      },
      "careless");
}

}  // namespace
}  // namespace bellows::http
