// Stories of CPU that the default policy took away and gives back, and of what a start leaves
// undone.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/hybrid_container.hpp"
#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

/// An hour of `busy` millicores and four of 200: the CPU targets of its first minutes.
std::vector<std::int64_t> run_job(Scene& scene, double from, double busy) {
  std::vector<std::int64_t> targets;
  for (double at = from; at < from + 5 * kHour; at += kMinute) {
    const bool is_busy = at < from + kHour;
    // Its limit is twice its request.
    const double limit = 2 * static_cast<double>(targets.empty() ? 220 : targets.back());
    scene.cpu(at, is_busy ? std::min(busy, limit) : 200);
    targets.push_back(scene.cpu_target(at));
  }
  return targets;
}

TEST(HybridRelease, GivesAJobThatIsBackItsCpuInOneStep) {
  Scene scene(RecommenderPolicy::kHybrid);
  run_job(scene, kHour, 200);
  const auto first = run_job(scene, 6 * kHour, 3000);
  EXPECT_LT(first[0], 1000) << "nothing is known of it: it rises step by step";
  EXPECT_GE(first[5], 3000);
  ASSERT_LT(first.back(), 300);
  scene.restart(11 * kHour - kMinute);
  const auto second = run_job(scene, 11 * kHour, 3000);
  EXPECT_EQ(second[0], first[59]) << "what it had";
  EXPECT_EQ(second[59], second[0]) << "one change";
}

TEST(HybridRelease, ExplainsThatALoadIsBack) {
  Scene scene(RecommenderPolicy::kHybrid);
  run_job(scene, kHour, 200);
  run_job(scene, 6 * kHour, 3000);
  scene.cpu(11 * kHour, 440);
  const std::string reason = to_string(scene.recommend(11 * kHour).cpu, Resource::kCpu);
  EXPECT_NE(reason.find("usage 440m is back at its earlier level -> "), std::string::npos)
      << reason;
}

TEST(HybridRelease, GivesAJobThatNeedsLessNowNoMoreThanThatAfterADay) {
  Scene scene(RecommenderPolicy::kHybrid);
  run_job(scene, kHour, 200);
  run_job(scene, 6 * kHour, 3000);
  std::int64_t last = 0;
  for (int run = 0; run < 7; ++run) last = run_job(scene, (11 + 5 * run) * kHour, 1000)[2];
  EXPECT_LT(last, 1400) << "3750 is more than a day ago";
}

TEST(HybridRelease, RisesStepByStepWithALoadThatGrowsSlowly) {
  Scene scene(RecommenderPolicy::kHybrid);
  run_job(scene, kHour, 200);
  run_job(scene, 6 * kHour, 3000);
  double load = 200;
  for (double at = 11 * kHour; load < 800; at += 5 * kMinute, load *= 1.05) {
    scene.cpu(at, load);
    EXPECT_LT(static_cast<double>(scene.cpu_target(at)), 1.5 * load + 100) << load;
  }
}

// As a number of seconds it was read back as a nanosecond less.
TEST(HybridResource, RestoresTheLengthOfAHoldExactly) {
  HybridResource saved(std::chrono::hours(24), std::chrono::hours(1));
  saved.hold.length = Duration(544'800'002'500'000);
  json::Writer line;
  saved.save(line);
  HybridResource restored(std::chrono::hours(24), std::chrono::hours(1));
  ASSERT_TRUE(restored.restore(json::parse(line.end()).value()));
  EXPECT_EQ(restored.hold.length, saved.hold.length);
}

TEST(HybridRelease, GivesNothingBackAfterAWeek) {
  Scene scene(RecommenderPolicy::kHybrid);
  run_job(scene, kHour, 200);
  run_job(scene, 6 * kHour, 3000);
  for (int run = 0; run < 34; ++run) run_job(scene, (11 + 5 * run) * kHour, 200);
  scene.cpu(181 * kHour, 440);
  EXPECT_LT(scene.cpu_target(181 * kHour), 1000);
}

}  // namespace
}  // namespace bellows::recommender
