#include "proxy/core/body_rate.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::seconds;
using test::kStart;

TEST(BodyRate, ACallerOfOneByteASecondIsLateAfterItsCredit) {
  BodyRate rate(64, kStart);
  for (int second = 0; second <= 30; ++second) {
    const TimePoint now = kStart + seconds(second);
    const TimePoint late = rate.deadline(now, static_cast<std::uint64_t>(second), true);
    EXPECT_LE(late, kStart + seconds(31)) << second;
  }
}

TEST(BodyRate, ACallerThatIsFastEnoughIsNeverLate) {
  BodyRate rate(64, kStart);
  for (int second = 0; second <= 3600; second += 20) {
    const TimePoint now = kStart + seconds(second);
    EXPECT_GT(rate.deadline(now, static_cast<std::uint64_t>(second) * 64, true), now);
  }
}

TEST(BodyRate, ABurstBuysNoMoreThanTheCredit) {
  BodyRate rate(64, kStart);
  EXPECT_EQ(rate.deadline(kStart + seconds(1), 1'000'000'000'000, true),
            kStart + seconds(1) + BodyRate::kCredit);
}

TEST(BodyRate, TimeInWhichTheUpstreamDoesNotReadIsNotTheCallers) {
  BodyRate rate(64, kStart);
  EXPECT_EQ(rate.deadline(kStart + seconds(10), 0, false), TimePoint::max());
  EXPECT_EQ(rate.deadline(kStart + seconds(110), 0, true), kStart + seconds(130));
}

}  // namespace
}  // namespace bellows::proxy
