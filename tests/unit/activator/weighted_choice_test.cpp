#include "activator/core/weighted_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace bellows::activator {
namespace {

TEST(WeightedChoice, GivesEachItsShareOfTenThousandExactly) {
  WeightedChoice choice({90, 7, 3});
  std::vector<int> taken(3);
  for (int i = 0; i < 10'000; ++i) ++taken[choice.next()];
  EXPECT_THAT(taken, testing::ElementsAre(9000, 700, 300));
}

TEST(WeightedChoice, IsWithinOnePercentAfterAnyNumberOfRequests) {
  WeightedChoice choice({50, 30, 20});
  std::vector<int> taken(3);
  const std::vector<int> weights = {50, 30, 20};
  for (int i = 1; i <= 10'000; ++i) {
    ++taken[choice.next()];
    for (std::size_t k = 0; k < taken.size(); ++k) {
      ASSERT_LE(std::abs(taken[k] * 100 - i * weights[k]), 100) << "after " << i;
    }
  }
}

TEST(WeightedChoice, SpreadsTheRareOneEvenly) {
  WeightedChoice choice({4, 1});
  std::string order;
  for (int i = 0; i < 10; ++i) order += choice.next() == 0 ? 'a' : 'b';
  EXPECT_EQ(order, "aabaaaabaa");
}

TEST(WeightedChoice, NeverTakesOneWithoutAWeight) {
  WeightedChoice choice({0, 1, 0, 2});
  for (int i = 0; i < 1000; ++i) {
    const std::size_t taken = choice.next();
    ASSERT_TRUE(taken == 1 || taken == 3);
  }
}

}  // namespace
}  // namespace bellows::activator
