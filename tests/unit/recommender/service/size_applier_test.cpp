#include "recommender/service/size_applier.hpp"

#include <gtest/gtest.h>

#include "recommender/service/cluster_source.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/recommender/service/still_cluster.hpp"

namespace bellows::recommender {
namespace {

using namespace std::chrono_literals;
using config::RecommenderPolicy;

class SizeApplierTest : public testing::Test {
 protected:
  SizeApplierTest() {
    auto settings = std::make_shared<WorkloadSettings>();
    settings->settings.min_memory_mebibytes = 16;
    store_ = std::make_unique<WorkloadStore>(
        settings, std::vector<RecommenderPolicy>{RecommenderPolicy::kVpa});
  }
  /// A memory peak and CPU samples, enough for a target.
  void use(double mebibytes_used) {
    const WallTime at = clock_.wall_now();
    const auto tell = [&](Resource resource, double amount) {
      store_->record(
          {{RevisionId("web"), PodName("web-1"), kApp, at, Usage{at, resource, amount}}});
    };
    tell(Resource::kCpu, 0.2);
    tell(Resource::kMemory, mebibytes_used * 1024 * 1024);
    memory_use_ = mebibytes(static_cast<std::int64_t>(mebibytes_used));
    store_->recommend(at);
  }
  void apply() {
    test::run_task<void>(io_, [&] { return applier_.apply(*store_); });
  }
  const SizingState& state() { return *applier_.find(RevisionId("web")); }

  test::ManualClock clock_;
  http::net::io_context io_;
  StillCluster cluster_;
  ScalingState scaling_;
  std::optional<Bytes> memory_use_;
  std::unique_ptr<WorkloadStore> store_;
  SizeApplier applier_{
      cluster_,
      cluster_,
      clock_,
      {.scaling = [this](const RevisionId&) { return scaling_; },
       .memory_use = [this](const RevisionId&, const PodName&) { return memory_use_; }}};
};

TEST_F(SizeApplierTest, BeforeAnythingIsKnownReplicasKeepTheirFirstRequest) {
  apply();
  EXPECT_TRUE(cluster_.resizes.empty());
  ASSERT_EQ(cluster_.for_new.size(), 1u);
  EXPECT_EQ(cluster_.for_new[0], (ReplicaSize{Millicores{100}, mebibytes(64), std::nullopt}));
}

TEST_F(SizeApplierTest, ATargetGoesToNewAndToRunningReplicasOnce) {
  use(200);
  apply();
  ASSERT_EQ(cluster_.resizes.size(), 1u);
  const ReplicaSize& size = cluster_.resizes[0].second;
  EXPECT_GT(*size.memory, mebibytes(200));
  EXPECT_EQ(size.memory_limit, std::nullopt) << "too little is known for an upper bound";
  EXPECT_EQ(cluster_.for_new.back().memory, size.memory);
  EXPECT_EQ(state().resizes, 1u);
  apply();
  EXPECT_EQ(cluster_.resizes.size(), 1u) << "nothing changed";
  EXPECT_EQ(cluster_.for_new.size(), 1u);
}

// The cluster goes back to the first request if that changes.
TEST_F(SizeApplierTest, ASizeIsToldAgainAfterTheSettingsHaveChanged) {
  use(200);
  apply();
  apply();
  ASSERT_EQ(cluster_.for_new.size(), 1u);
  cluster_.web.settings.resources.memory = mebibytes(96);
  cluster_.publish();
  apply();
  ASSERT_EQ(cluster_.for_new.size(), 2u);
  EXPECT_EQ(cluster_.for_new[0], cluster_.for_new[1]);
}

TEST_F(SizeApplierTest, TheFirstReplicasOfANewRevisionHaveWhatIsRecommendedForIt) {
  use(200);
  config::Service next;
  next.name = RevisionId("web-00002");
  next.settings = cluster_.web.settings;
  const Workload& web = *store_->find(RevisionId("web"));
  EXPECT_GT(applier_.size_of_first(next, web).memory, mebibytes(200));
  next.settings.resources.mode = config::ResourcesMode::kAdvise;
  EXPECT_TRUE(applier_.size_of_first(next, web).empty());
}

TEST_F(SizeApplierTest, InPanicItWaitsAndSaysSo) {
  use(200);
  scaling_.is_panic = true;
  apply();
  EXPECT_TRUE(cluster_.resizes.empty());
  EXPECT_EQ(state().note, "running replicas keep their size in panic mode");
  scaling_.is_panic = false;
  apply();
  EXPECT_EQ(cluster_.resizes.size(), 1u);
  EXPECT_EQ(state().note, "");
}

TEST_F(SizeApplierTest, AReplicaThatCrashedGrowsAlthoughTheServiceLooksAsIfItGrew) {
  use(200);
  scaling_.is_growing = true;
  cluster_.change_replica([](cluster::Replica& replica) {
    replica.phase = cluster::ReplicaPhase::kFailed;
    replica.restarts = 1;
  });
  apply();
  EXPECT_EQ(cluster_.resizes.size(), 1u);
}

TEST_F(SizeApplierTest, ARefusedSizeIsNamedAndTriedAgain) {
  use(200);
  cluster_.refuses = true;
  apply();
  apply();
  EXPECT_EQ(state().last_error, "memory.limit_in_bytes: device busy");
  EXPECT_EQ(state().failures, 2u);
  cluster_.refuses = false;
  apply();
  EXPECT_EQ(state().last_error, "");
  EXPECT_EQ(cluster_.resizes.size(), 1u);
}

TEST_F(SizeApplierTest, WithoutRightsItIsAdviceAndSaysWhy) {
  use(200);
  cluster_.why_not = "/sys/fs/cgroup: read-only";
  apply();
  EXPECT_TRUE(cluster_.resizes.empty());
  EXPECT_EQ(state().note, "advice only: /sys/fs/cgroup: read-only");
}

TEST_F(SizeApplierTest, PoliciesAreToldTheSizesThatAreInEffectOnce) {
  auto reported = applier_.requests(clock_.wall_now());
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(std::get<Request>(reported[0].what), (Request{Millicores{100}, mebibytes(64)}));
  EXPECT_TRUE(applier_.requests(clock_.wall_now()).empty());
  cluster_.change_replica([](auto& replica) { replica.size.memory = mebibytes(128); });
  reported = applier_.requests(clock_.wall_now());
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(std::get<Request>(reported[0].what).memory, mebibytes(128));
}

TEST_F(SizeApplierTest, AServiceInModeOffIsLeftAlone) {
  cluster_.web.settings.resources.mode = config::ResourcesMode::kOff;
  cluster_.publish();
  apply();
  EXPECT_EQ(applier_.find(RevisionId("web")), nullptr);
  EXPECT_TRUE(applier_.requests(clock_.wall_now()).empty());
}

}  // namespace
}  // namespace bellows::recommender
