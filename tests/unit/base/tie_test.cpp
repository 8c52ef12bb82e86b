// Two objects that know each other, in every order in which they can go.
#include "base/tie.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace bellows {
namespace {

struct Right;
struct Left {
  Tie<Left, Right> right{*this};
};
struct Right {
  Tie<Right, Left> left{*this};
};

class TieTest : public testing::Test {
 protected:
  std::optional<Left> left_{std::in_place};
  std::optional<Right> right_{std::in_place};

  void SetUp() override { left_->right.bind(right_->left); }
};

TEST_F(TieTest, BothEndsLeadToEachOther) {
  EXPECT_EQ(left_->right.get(), &*right_);
  EXPECT_EQ(right_->left.get(), &*left_);
}

TEST_F(TieTest, IsEmptyOnceTheOtherEndIsDestroyedWhicheverGoesFirst) {
  right_.reset();
  EXPECT_FALSE(left_->right);
  right_.emplace();
  left_->right.bind(right_->left);
  left_.reset();
  EXPECT_FALSE(right_->left);
}

TEST_F(TieTest, CutEmptiesBothEndsAndTellsOnceWhereItLed) {
  EXPECT_EQ(left_->right.cut(), &*right_);
  EXPECT_FALSE(right_->left);
  EXPECT_EQ(left_->right.cut(), nullptr);
}

TEST_F(TieTest, BoundAnewItLeavesNobodyBehindWithAnEnd) {
  Left other;
  other.right.bind(right_->left);
  EXPECT_FALSE(left_->right);
  EXPECT_EQ(right_->left.get(), &other);
}

}  // namespace
}  // namespace bellows
