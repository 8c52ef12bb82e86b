#include "proxy/core/retry_budget.hpp"

#include <gtest/gtest.h>

namespace bellows::proxy {
namespace {

TEST(RetryBudget, EndsWhenTheRequestMayHaveRunThreeTimes) {
  RetryBudget budget;
  EXPECT_TRUE(budget.is_whole());
  budget.note_runs(1);
  EXPECT_FALSE(budget.is_whole());
  EXPECT_TRUE(budget.allows_another());
  budget.note_runs(1);
  EXPECT_TRUE(budget.allows_another()) << "a server that was killed twice in its life";
  budget.note_runs(1);
  EXPECT_FALSE(budget.allows_another()) << "it may be what kills them";
}

TEST(RetryBudget, AllowsEightServersThatEndedBeforeTheyReadTheRequest) {
  RetryBudget budget;
  for (int i = 0; i < RetryBudget::kMaxResets; ++i) {
    EXPECT_TRUE(budget.allows_another()) << i;
    budget.note_reset();
  }
  EXPECT_FALSE(budget.allows_another()) << "an app that resets on purpose";
  EXPECT_EQ(budget.runs(), 0);
}

}  // namespace
}  // namespace bellows::proxy
