#include "simulator/wait_histogram.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

TEST(WaitHistogram, IsZeroBeforeTheFirstRecord) {
  const WaitHistogram waits;
  EXPECT_EQ(waits.percentile(0.99), 0s);
  EXPECT_EQ(waits.longest(), 0s);
  EXPECT_EQ(waits.mean(), 0);
}

TEST(WaitHistogram, OneWaitInAHundredIsNotInTheNinetyNinthPercentile) {
  WaitHistogram waits;
  for (int i = 0; i < 99; ++i) waits.record(0s);
  waits.record(3s);
  EXPECT_EQ(waits.percentile(0.99), 0s);
  EXPECT_EQ(waits.percentile(0.991), 3s);
  EXPECT_EQ(waits.waited(), 1U);
  EXPECT_EQ(waits.mean(), 0.03);
}

TEST(WaitHistogram, IsEmptyAfterClear) {
  WaitHistogram waits;
  waits.record(5s);
  waits.clear();
  waits.record(1s);
  EXPECT_EQ(waits.longest(), 1s);
  EXPECT_EQ(waits.percentile(1), 1s);
}

RC_GTEST_PROP(WaitHistogram, IsAtMostFourInAThousandAboveTheTruthAndNeverBelow,
              (std::vector<std::uint32_t> microseconds)) {
  RC_PRE(!microseconds.empty());
  WaitHistogram waits;
  for (const std::uint32_t wait : microseconds) waits.record(Duration(wait * std::int64_t{1000}));
  std::sort(microseconds.begin(), microseconds.end());
  for (const double share : {0.5, 0.9, 0.99, 1.0}) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(microseconds.size())));
    const double truth = microseconds[rank - 1] * 1000.0;
    const auto said = static_cast<double>(waits.percentile(share).count());
    RC_ASSERT(said >= truth);
    RC_ASSERT(said <= truth * (1 + 1.0 / 256) + 1);
  }
  RC_ASSERT(waits.longest().count() == microseconds.back() * std::int64_t{1000});
}

}  // namespace
}  // namespace bellows::simulator
