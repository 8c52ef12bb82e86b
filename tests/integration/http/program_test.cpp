#include "http/io/program.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/sys/log.hpp"
#include "http/io/signals.hpp"
#include "http/io/task_group.hpp"
#include "tests/integration/http/service_world.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::http {
namespace {

using namespace std::chrono_literals;

TEST(RunProgram, TheBodysResultIsTheExitCode) {
  EXPECT_EQ(run_program([](net::io_context&) -> Awaitable<int> {
              co_await sleep_for(1ms);
              co_return 7;
            }),
            7);
}

TEST(RunProgram, EndsWithItsBodyWhileOtherTasksStillWait) {
  EXPECT_EQ(run_program([](net::io_context& io) -> Awaitable<int> {
              TaskGroup tasks(io);
              tasks.spawn("endless", []() -> Awaitable<void> { co_await sleep_for(1h); });
              co_return 0;
            }),
            0);
}

TEST(RunProgram, AnExceptionIsLoggedAndExitCodeOne) {
  log_lines.clear();
  sys::log::set_sink([](std::string_view line) { log_lines.emplace_back(line); });
  EXPECT_EQ(run_program([](net::io_context&) -> Awaitable<int> {
              throw std::runtime_error("no such revision");
              co_return 0;
            }),
            1);
  sys::log::set_sink(nullptr);
  ASSERT_EQ(log_lines.size(), 1U);
  EXPECT_NE(log_lines.front().find("no such revision"), std::string::npos);
}

TEST(RunProgram, TheProcessHasItsDescriptorLimitRaisedAndIgnoresSigpipe) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{.rlim_cur = 256, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  run_program([&](net::io_context&) -> Awaitable<int> {
    rlimit inside{};
    ::getrlimit(RLIMIT_NOFILE, &inside);
    EXPECT_EQ(inside.rlim_cur, before.rlim_max);
    EXPECT_EQ(initial_descriptor_limit(), 256U) << "for child processes";
    EXPECT_EQ(std::raise(SIGPIPE), 0);  // would end the process
    co_return 0;
  });
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Signals, TheFirstAndTheSecondSignalAreDistinguished) {
  test::run_task([](net::io_context& io) -> Awaitable<void> {
    std::vector<std::pair<int, int>> seen;
    AsioTimer both(io, std::chrono::steady_clock::time_point::max());
    const Signals signals(io, {SIGTERM, SIGINT}, [&](int number, int count) {
      seen.emplace_back(number, count);
      if (count == 1) std::raise(SIGINT);
      if (count == 2) both.cancel();
    });
    std::raise(SIGTERM);
    boost::system::error_code ignored;
    co_await both.async_wait(awaiting(ignored));
    const std::vector<std::pair<int, int>> expected{{SIGTERM, 1}, {SIGINT, 2}};
    EXPECT_EQ(seen, expected);
  });
}

TEST(Signals, AfterItsDestructionNothingIsCalled) {
  test::run_task([](net::io_context& io) -> Awaitable<void> {
    AsioTimer later_came(io, std::chrono::steady_clock::time_point::max());
    const Signals later(io, {SIGHUP}, [&](int, int) { later_came.cancel(); });
    {
      const Signals over(io, {SIGHUP}, [](int, int) { ADD_FAILURE() << "called after its end"; });
    }
    std::raise(SIGHUP);
    boost::system::error_code ignored;
    co_await later_came.async_wait(awaiting(ignored));
  });
}

}  // namespace
}  // namespace bellows::http
