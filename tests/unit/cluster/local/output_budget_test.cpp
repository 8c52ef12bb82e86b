#include "cluster/local/output_budget.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;

using test::kStart;
constexpr std::size_t kMebibyte = OutputBudget::kBytesPerSecond;

TEST(OutputBudget, TakesAMebibyteAtOnceAndThenOneASecond) {
  OutputBudget budget(kStart);
  EXPECT_EQ(budget.take(kMebibyte, kStart), 0s);
  EXPECT_EQ(budget.take(kMebibyte / 2, kStart), 500ms);
  EXPECT_EQ(budget.take(kMebibyte / 2, kStart + 500ms), 500ms);
}

TEST(OutputBudget, IsWholeAgainAfterASecondOfSilence) {
  OutputBudget budget(kStart);
  budget.take(kMebibyte, kStart);
  EXPECT_EQ(budget.take(kMebibyte, kStart + 1s), 0s);
  EXPECT_EQ(budget.take(kMebibyte, kStart + 24h), 0s);
  EXPECT_EQ(budget.take(kMebibyte, kStart + 24h), 1s) << "silence is not saved up";
}

}  // namespace
}  // namespace bellows::cluster
