#include "queue-proxy/core/log_once_per_reason.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;
using test::kStart;

TEST(LogOncePerReason, LogsAStartingAppAfterASecondAndOncePerReason) {
  LogOncePerReason log(kStart);
  EXPECT_FALSE(log.should_log("refused", kStart + 5ms));
  EXPECT_FALSE(log.should_log("refused", kStart + 999ms));
  EXPECT_TRUE(log.should_log("refused", kStart + 1s));
  EXPECT_FALSE(log.should_log("refused", kStart + 1005ms));
  EXPECT_TRUE(log.should_log("answered 503", kStart + 2s));
  EXPECT_FALSE(log.should_log("refused", kStart + 3s));
  EXPECT_FALSE(log.should_log("answered 503", kStart + 1h));
}

TEST(LogOncePerReason, LogsTheNextReasonAfterReadinessWasLost) {
  LogOncePerReason log(kStart);
  EXPECT_TRUE(log.should_log("refused", kStart + 1s));
  log.readiness_lost("reset", kStart + 100s);
  EXPECT_FALSE(log.should_log("refused", kStart + 100s + 5ms));
  EXPECT_FALSE(log.should_log("reset", kStart + 101s));
  EXPECT_TRUE(log.should_log("refused", kStart + 101s));
}

TEST(LogOncePerReason, StopsAfterEightReasons) {
  LogOncePerReason log(kStart);
  int logged = 0;
  for (int probe = 0; probe < 100; ++probe) {
    if (log.should_log("try " + std::to_string(probe), kStart + 2s)) ++logged;
  }
  EXPECT_EQ(logged, 8);
}

}  // namespace
}  // namespace bellows::queue_proxy
