// Least and most: target 1101m and 300 MiB with bounds around them.
#include "recommender/core/capping.hpp"

#include <gtest/gtest.h>

#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

Amounts amounts(std::int64_t millicores, std::int64_t mebibytes) {
  return {Millicores{millicores}, Bytes{mebibytes * kMi}};
}

class PostProcessing : public testing::Test {
 protected:
  void process() {
    post_process(sizes_, {&cpu_}, {.target = &memory_, .upper_bound = &upper_}, policy_);
  }

  Sizes sizes_{.target = amounts(1101, 300),
               .lower_bound = amounts(551, 150),
               .upper_bound = amounts(2202, 600),
               .uncapped_target = amounts(1101, 300)};
  ContainerPolicy policy_;
  Chain cpu_;
  Chain memory_;
  Chain upper_;
};

TEST_F(PostProcessing, ChangesNothingByDefault) {
  const Sizes before = sizes_;
  process();
  EXPECT_EQ(sizes_, before);
  EXPECT_TRUE(cpu_.empty() && memory_.empty());
}

TEST_F(PostProcessing, CapsAllButTheUncappedTarget) {
  policy_.max_allowed = amounts(1000, 200);
  policy_.min_allowed = amounts(600, 160);
  process();
  EXPECT_EQ(sizes_.target, amounts(1000, 200));
  EXPECT_EQ(sizes_.lower_bound, amounts(600, 160));
  EXPECT_EQ(sizes_.upper_bound, amounts(1000, 200));
  EXPECT_EQ(sizes_.uncapped_target, amounts(1101, 300));
  EXPECT_EQ(to_string(cpu_, Resource::kCpu), "max-allowed 1000m -> 1000m");
  EXPECT_EQ(to_string(upper_, Resource::kMemory), "max-allowed 209715200 bytes -> 209715200 bytes");
}

TEST_F(PostProcessing, PrefersTheMaximumToTheMinimumAndTakesZeroForUnset) {
  policy_.min_allowed = {Millicores{900}, {}};
  policy_.max_allowed = {Millicores{700}, Bytes{0}};
  process();
  EXPECT_EQ(sizes_.target, amounts(700, 300));
  EXPECT_EQ(sizes_.lower_bound, amounts(700, 150)) << "to 900m, then to 700m";
}

TEST_F(PostProcessing, DropsResourcesThatAreNotControlled) {
  policy_.controls_memory = false;
  process();
  EXPECT_EQ(sizes_.target, (Amounts{Millicores{1101}, {}}));
  EXPECT_EQ(sizes_.uncapped_target, (Amounts{Millicores{1101}, {}}));
}

}  // namespace
}  // namespace bellows::recommender
