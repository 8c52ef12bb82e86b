// One workload with its policies, as it is asked for an explanation.
#include "recommender/service/workload.hpp"

#include <gtest/gtest.h>

#include "recommender/core/sample.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

const ContainerName kApp("app");

Observation cpu(double at, double cores) {
  return {.workload = RevisionId("web"),
          .replica = PodName("web-1"),
          .container = kApp,
          .at = replay_time(at),
          .what = Usage{replay_time(at), Resource::kCpu, cores}};
}

// 100m of nothing asked for; 500m came after the recommendation that stands.
TEST(Workload, ExplainsWhatItWouldSayNowAndTellsWhatStandsIfThatIsSomethingElse) {
  Workload web(RevisionId("web"), std::make_shared<const WorkloadSettings>(),
               {RecommenderPolicy::kHybrid, RecommenderPolicy::kSpike});
  ASSERT_TRUE(web.take(cpu(300, 0.1)).has_value());
  web.recommend(replay_time(301));
  const auto same = web.explain("spike", kApp, replay_time(302));
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->at(1), "  target: scale-up: highest usage -> 100m, times 2 -> 200m");
  EXPECT_EQ(same->back().find("until"), std::string::npos);

  ASSERT_TRUE(web.take(cpu(303, 0.5)).has_value());
  const auto other = web.explain("spike", kApp, replay_time(304));
  EXPECT_EQ(other->at(1), "  target: scale-up: highest usage -> 500m, times 2 -> 1000m");
  EXPECT_EQ(other->back(), "until the next recommendation stands: cpu 200m");
  EXPECT_EQ(to_string(web.explain("vpa", kApp, replay_time(304)).error()),
            "policy \"vpa\": does not run here, want one of: hybrid, spike");
}

}  // namespace
}  // namespace bellows::recommender
