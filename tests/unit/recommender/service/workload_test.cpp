// One workload with its policies, as it is asked for an explanation.
#include "recommender/core/workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "recommender/core/sample.hpp"
#include "recommender/service/workload_store.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

const ContainerName kContainer("app");

Observation cpu(double at, double cores) {
  return {.workload = RevisionId("web"),
          .replica = PodName("web-1"),
          .container = kContainer,
          .at = replay_time(at),
          .what = Usage{replay_time(at), Resource::kCpu, cores}};
}

// 100m of nothing asked for; 500m came after the recommendation that stands.
TEST(Workload, ExplainsTheNextAndTheCurrentRecommendation) {
  Workload web(RevisionId("web"), std::make_shared<const WorkloadSettings>(),
               {RecommenderPolicy::kHybrid, RecommenderPolicy::kSpike});
  ASSERT_TRUE(web.take(cpu(300, 0.1)).has_value());
  web.recommend(replay_time(301));
  const auto same = web.explain("spike", kContainer, replay_time(302));
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->at(1), "  target: scale-up: highest usage -> 100m, times 2 -> 200m");
  EXPECT_EQ(same->back().find("until"), std::string::npos);

  ASSERT_TRUE(web.take(cpu(303, 0.5)).has_value());
  const auto other = web.explain("spike", kContainer, replay_time(304));
  EXPECT_EQ(other->at(1), "  target: scale-up: highest usage -> 500m, times 2 -> 1000m");
  EXPECT_EQ(other->back(), "in force until the next recommendation: cpu 200m");
  EXPECT_EQ(to_string(web.explain("vpa", kContainer, replay_time(304)).error()),
            "policy \"vpa\": does not run here, want one of: hybrid, spike");
}

std::optional<Millicores> target_of(const Workload& workload) {
  const Recommendation* const last = workload.chosen().find(kContainer);
  return last != nullptr && last->sizes ? last->sizes->target.cpu : std::nullopt;
}

TEST(Workload, FollowsAChangedMaximumWithItsNextRecommendation) {
  Workload web(RevisionId("web"), std::make_shared<const WorkloadSettings>(),
               {RecommenderPolicy::kHybrid, RecommenderPolicy::kVpa});
  ASSERT_TRUE(web.take(cpu(300, 1)).has_value());
  web.recommend(replay_time(301));
  EXPECT_GT(target_of(web), Millicores{1000});
  config::ResourcesSettings resources;
  resources.max_allowed_cpu = Millicores{250};
  web.limit({container_policy(resources)});
  EXPECT_GT(target_of(web), Millicores{1000}) << "the one before it stands";
  web.recommend(replay_time(302));
  EXPECT_EQ(target_of(web), Millicores{250});
  const auto lines = web.explain("", kContainer, replay_time(302));
  EXPECT_TRUE(std::ranges::any_of(*lines, [](const std::string& line) {
    return line.find("max-allowed 250m") != std::string::npos;
  })) << lines->size();
  web.limit({container_policy({})});
  web.recommend(replay_time(303));
  EXPECT_GT(target_of(web), Millicores{1000}) << "the uncapped target was kept";
}

TEST(Workload, RecommendsNothingForAResourceThatIsNotControlled) {
  Workload web(RevisionId("web"), std::make_shared<const WorkloadSettings>(),
               {RecommenderPolicy::kVpa});
  config::ResourcesSettings resources;
  resources.controlled_resources = config::ControlledResources::kMemory;
  web.limit({container_policy(resources)});
  ASSERT_TRUE(web.take(cpu(300, 1)).has_value());
  web.recommend(replay_time(301));
  EXPECT_EQ(target_of(web), std::nullopt);
  EXPECT_TRUE(web.chosen().find(kContainer)->sizes->target.memory.has_value());
}

TEST(Workload, ChangesItsPolicyWithoutForgettingWhatItKnows) {
  Workload web(RevisionId("web"), std::make_shared<const WorkloadSettings>(),
               {RecommenderPolicy::kHybrid});
  const Observation request = {.workload = RevisionId("web"),
                               .replica = PodName("web-1"),
                               .container = kContainer,
                               .at = replay_time(200),
                               .what = Request{Millicores{2000}, mebibytes(64)}};
  ASSERT_TRUE(web.take(request).has_value());
  ASSERT_TRUE(web.take(cpu(300, 1)).has_value());
  web.recommend(replay_time(301));
  const auto hybrid = target_of(web);
  web.run({RecommenderPolicy::kSpike}, replay_time(302));
  EXPECT_EQ(web.chosen().policy->name(), "spike");
  web.recommend(replay_time(303));
  EXPECT_EQ(target_of(web), hybrid) << "the request is known: 1000m of 2000m calls for no change";
}

TEST(Workload, AShadowThatBecomesTheChosenPolicyGoesOn) {
  using enum RecommenderPolicy;
  Workload web(RevisionId("web"), std::make_shared<const WorkloadSettings>(), {kHybrid, kVpa});
  ASSERT_TRUE(web.take(cpu(300, 1)).has_value());
  web.recommend(replay_time(301));
  const Policy* const vpa = web.runs()[1].policy.get();
  const Policy* const hybrid = web.runs()[0].policy.get();
  web.run({kVpa, kHybrid}, replay_time(302));
  ASSERT_EQ(web.runs().size(), 2U);
  EXPECT_EQ(web.runs()[0].policy.get(), vpa);
  EXPECT_EQ(web.runs()[1].policy.get(), hybrid);
  web.run({kSpike, kHybrid, kVpa}, replay_time(302));
  ASSERT_EQ(web.runs().size(), 3U);
  EXPECT_EQ(web.runs()[0].policy->name(), "spike");
  EXPECT_EQ(web.runs()[1].policy.get(), hybrid);
  EXPECT_EQ(web.runs()[2].policy.get(), vpa);
}

TEST(WorkloadStore, ANewRevisionInheritsOnlyFromItsOwnService) {
  WorkloadStore store(std::make_shared<const WorkloadSettings>(), {RecommenderPolicy::kHybrid});
  const WallTime now = replay_time(400);
  const SizedRevision web = {.id = RevisionId("web"), .service = RevisionId("web")};
  store.follow(web, now);
  store.record({cpu(300, 1)});
  store.recommend(now);
  const auto known = target_of(*store.find(RevisionId("web")));
  ASSERT_TRUE(known.has_value());
  const SizedRevision next = {
      .id = RevisionId("web-00002"), .service = RevisionId("web"), .is_serving = false};
  store.follow(next, now);
  store.follow({.id = RevisionId("web-00003"), .service = RevisionId("web")}, now);
  store.follow({.id = RevisionId("shop"), .service = RevisionId("shop")}, now);
  store.recommend(now);
  EXPECT_EQ(target_of(*store.find(RevisionId("web-00002"))), known);
  EXPECT_EQ(target_of(*store.find(RevisionId("web-00003"))), known);
  EXPECT_EQ(target_of(*store.find(RevisionId("shop"))), std::nullopt);
}

TEST(WorkloadStore, AServiceMayHaveAPolicyOfItsOwn) {
  using enum RecommenderPolicy;
  WorkloadStore store(std::make_shared<const WorkloadSettings>(), {kHybrid, kVpa});
  SizedRevision web = {.id = RevisionId("web"), .service = RevisionId("web")};
  const auto policies = [&] {
    std::string names;
    for (const PolicyRun& run : store.find(web.id)->runs()) {
      names += (names.empty() ? "" : " ") + std::string(run.policy->name());
    }
    return names;
  };
  store.follow(web, replay_time(1));
  EXPECT_EQ(policies(), "hybrid vpa");
  web.resources.policy = config::ResourcesPolicy::kVpa;
  store.follow(web, replay_time(2));
  EXPECT_EQ(policies(), "vpa") << "it is no shadow of itself";
  web.resources.policy = config::ResourcesPolicy::kSpike;
  store.follow(web, replay_time(3));
  EXPECT_EQ(policies(), "spike vpa");
}

}  // namespace
}  // namespace bellows::recommender
