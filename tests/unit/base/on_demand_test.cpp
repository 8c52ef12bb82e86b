#include "base/on_demand.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows {
namespace {

TEST(OnDemandPart, IsNotThereUntilItIsMade) {
  OnDemand<std::string> part;
  EXPECT_FALSE(part);
  part.emplace("made");
  ASSERT_TRUE(part);
  EXPECT_EQ(*part, "made");
  part.reset();
  EXPECT_FALSE(part);
}

TEST(OnDemandPart, IsCopiedWithItsOwner) {
  OnDemand<std::string> one;
  one.emplace("one");
  OnDemand<std::string> copy = one;
  *one = "changed";
  EXPECT_EQ(*copy, "one");
  copy = OnDemand<std::string>();
  EXPECT_FALSE(copy);
  copy = one;
  EXPECT_EQ(*copy, "changed");
}

}  // namespace
}  // namespace bellows
