// Rounding, whole cores, least and most: target 1101m and 300 MiB with bounds around them.
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
    post_process(sizes_, {&cpu_}, {.target = &memory_, .upper_bound = &upper_}, container_,
                 settings_);
  }

  Sizes sizes_{.target = amounts(1101, 300),
               .lower_bound = amounts(551, 150),
               .upper_bound = amounts(2202, 600),
               .uncapped_target = amounts(1101, 300)};
  ContainerSettings container_;
  config::RecommenderSettings settings_;
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

TEST_F(PostProcessing, RoundsUpEverySizeAndTheUncappedTarget) {
  settings_.round_cpu_millicores = 100;
  settings_.round_memory_bytes = 256 * kMi;
  process();
  EXPECT_EQ(sizes_.target, amounts(1200, 512));
  EXPECT_EQ(sizes_.lower_bound, amounts(600, 256));
  EXPECT_EQ(sizes_.upper_bound, amounts(2300, 768));
  EXPECT_EQ(sizes_.uncapped_target, amounts(1200, 512));
  EXPECT_EQ(to_string(cpu_, Resource::kCpu), "rounded up to a multiple of 100m -> 1200m");
}

TEST_F(PostProcessing, KeepsMultiples) {
  settings_.round_cpu_millicores = 367;
  settings_.round_memory_bytes = 100 * kMi;
  process();
  EXPECT_EQ(sizes_.target, amounts(1101, 300));
  EXPECT_TRUE(cpu_.empty() && memory_.empty());
}

TEST_F(PostProcessing, RoundsUpToWholeCoresWithAnAnnotation) {
  container_.whole_cores = true;
  process();
  EXPECT_EQ(sizes_.target, amounts(2000, 300));
  EXPECT_EQ(sizes_.lower_bound, amounts(1000, 150));
  EXPECT_EQ(sizes_.upper_bound, amounts(3000, 600));
  EXPECT_EQ(sizes_.uncapped_target, amounts(2000, 300));
}

TEST_F(PostProcessing, CapsAfterRoundingAndNeverTheUncappedTarget) {
  settings_.round_cpu_millicores = 1000;
  container_.policy.max_allowed = amounts(1500, 200);
  container_.policy.min_allowed = amounts(1100, 160);
  process();
  EXPECT_EQ(sizes_.target, amounts(1500, 200));
  EXPECT_EQ(sizes_.lower_bound, amounts(1100, 160));
  EXPECT_EQ(sizes_.upper_bound, amounts(1500, 200));
  EXPECT_EQ(sizes_.uncapped_target, amounts(2000, 300));
  EXPECT_EQ(to_string(cpu_, Resource::kCpu),
            "rounded up to a multiple of 1000m -> 2000m, max-allowed 1500m -> 1500m");
  EXPECT_EQ(to_string(upper_, Resource::kMemory), "max-allowed 209715200 bytes -> 209715200 bytes");
}

TEST_F(PostProcessing, UsesTheGlobalMaximumWithoutAPolicyAndPrefersTheMaximumToTheMinimum) {
  settings_.max_allowed_cpu = Millicores{700};
  settings_.max_allowed_memory = Bytes{100 * kMi};
  container_.policy.min_allowed = {Millicores{900}, {}};
  container_.policy.max_allowed = {Millicores{0}, Bytes{400 * kMi}};  // 0: not set
  process();
  EXPECT_EQ(sizes_.target, amounts(700, 300));
  EXPECT_EQ(sizes_.lower_bound, amounts(700, 150)) << "to 900m, then to 700m";
}

TEST_F(PostProcessing, DropsResourcesThatAreNotControlled) {
  container_.policy.controls_memory = false;
  settings_.round_memory_bytes = 1000;
  process();
  EXPECT_EQ(sizes_.target, (Amounts{Millicores{1101}, {}}));
  EXPECT_EQ(sizes_.uncapped_target, (Amounts{Millicores{1101}, {}}));
}

}  // namespace
}  // namespace bellows::recommender
