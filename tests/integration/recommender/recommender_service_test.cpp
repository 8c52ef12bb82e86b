// The service: sources that answer, fail and come back; checkpoints; pages.
#include "recommender/service/recommender_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/sys/clock.hpp"
#include "http/io/client.hpp"
#include "recommender/service/cluster_source.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/recommender/service/still_cluster.hpp"

namespace bellows::recommender {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// One sample of CPU and memory per call, or a failure, as the test says.
class ScriptedSource final : public UsageSource {
 public:
  std::string name() const override { return "script"; }
  http::Awaitable<Result<std::vector<Observation>>> read(WallTime now) override {
    if (fails) co_return fail(ErrorKind::kTimeout, "script", "no answer within 1s");
    std::vector<Observation> seen;
    seen.push_back(
        {RevisionId("web"), PodName("web-1"), kApp, now, Usage{now, Resource::kMemory, memory}});
    seen.push_back(
        {RevisionId("web"), PodName("web-1"), kApp, now, Usage{now, Resource::kCpu, 0.1}});
    co_return seen;
  }
  bool fails = false;
  double memory = 300.0 * 1024 * 1024;
};

class RecommenderServiceTest : public testing::Test {
 protected:
  void make(const std::string& checkpoint = {}) {
    RecommenderOptions options;
    options.policies.policy = config::RecommenderPolicy::kVpa;
    options.loop.shadow_policies = "spike,vpa,hybrid";
    options.loop.checkpoint_file = checkpoint;
    registry_ = std::make_unique<metrics::prometheus::Registry>("test");
    service_ = std::make_unique<RecommenderService>(io_, clock_, *registry_, options);
    auto source = std::make_unique<ScriptedSource>();
    source_ = source.get();
    service_->add_source(std::move(source), Duration::zero());
  }
  void tick() {
    clock_.advance(60s);
    test::run_task<void>(io_, [&] { return service_->tick(); });
  }
  void stop() {
    test::run_task<void>(io_, [&] { return service_->stop(clock_.now() + 1s); });
  }
  std::string metrics() {
    service_->refresh_metrics();
    return registry_->expose();
  }
  /// One question over a real socket.
  http::Response get(const std::string& path) {
    http::ServiceServer server(io_);
    service_->add_routes(server);
    const Endpoint at = server.listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
    auto answer =
        test::run_task<Result<http::Response>>(io_, [&] { return http::fetch(at, "GET", path); });
    test::run_task<void>(io_, [&] { return server.stop(clock_.now()); });
    return answer.value_or(http::Response());
  }
  std::optional<Millicores> cpu_target() const {
    const Workload* web = service_->store().find(RevisionId("web"));
    const Recommendation* recommendation = web ? web->chosen().find(kApp) : nullptr;
    if (recommendation == nullptr || !recommendation->sizes) return std::nullopt;
    return recommendation->sizes->target.cpu;
  }

  http::net::io_context io_;
  test::ManualClock clock_;
  StillCluster cluster_;
  std::unique_ptr<metrics::prometheus::Registry> registry_;
  std::unique_ptr<RecommenderService> service_;
  ScriptedSource* source_ = nullptr;
};

TEST_F(RecommenderServiceTest, OnABeatUsageBecomesARecommendationInMetricsAndPages) {
  make();
  tick();
  EXPECT_EQ(cpu_target(), Millicores{126}) << "VPA's answer to a steady tenth of a core";
  const std::string text = metrics();
  EXPECT_THAT(text, HasSubstr("bellows_recommender_target_cpu_cores{container=\"app\",policy="
                              "\"vpa\",role=\"chosen\",workload=\"web\"} 0.126"));
  EXPECT_THAT(text, HasSubstr("bellows_recommender_source_up{source=\"script\"} 1"));
  const http::Response page = get("/v1/recommendations");
  EXPECT_EQ(page.content_type, "application/json");
  EXPECT_THAT(page.body, HasSubstr("\"cpu_millicores\":126"));
}

TEST_F(RecommenderServiceTest, OtherPoliciesRunInItsShadowUnderTheirOwnLabel) {
  make();
  tick();
  const auto& runs = service_->store().find(RevisionId("web"))->runs();
  ASSERT_EQ(runs.size(), 3u);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const std::string policy(runs[i].policy->name());
    EXPECT_THAT(metrics(), HasSubstr("policy=\"" + policy + "\",role=\"shadow\""));
    const auto page = get("/v1/recommendations/web/app/explain?policy=" + policy);
    EXPECT_EQ(page.status, 200) << policy;
  }
}

TEST_F(RecommenderServiceTest, AFailedSourceIsNamedAndTheRecommendationStays) {
  make();
  tick();
  const auto before = cpu_target();
  ASSERT_TRUE(before.has_value());
  source_->fails = true;
  tick();
  EXPECT_EQ(cpu_target(), before);
  EXPECT_THAT(get("/v1/recommendations").body, HasSubstr("script: no answer within 1s"));
  EXPECT_THAT(metrics(), HasSubstr("bellows_recommender_source_up{source=\"script\"} 0"));
  source_->fails = false;
  tick();
  EXPECT_THAT(metrics(), HasSubstr("bellows_recommender_source_up{source=\"script\"} 1"));
}

TEST_F(RecommenderServiceTest, NonsenseIsCountedAndEverythingElseGoesOn) {
  make();
  tick();
  source_->memory = -5;
  tick();
  EXPECT_EQ(service_->store().counters().rejected, 1u);
  EXPECT_TRUE(cpu_target().has_value());
}

TEST_F(RecommenderServiceTest, ExplainIsAskedByWorkloadOrReplica) {
  make();
  tick();
  for (const char* name : {"web", "web-1"}) {
    const http::Response page = get("/v1/recommendations/" + std::string(name) + "/app/explain");
    EXPECT_EQ(page.status, 200) << name;
    EXPECT_THAT(page.body, HasSubstr("126m")) << name;
  }
  EXPECT_EQ(get("/v1/recommendations/shop/app/explain").status, 404);
  EXPECT_EQ(get("/v1/recommendations/web/other/explain").status, 404);
  EXPECT_EQ(get("/v1/recommendations/web/app/explain?policy=other").status, 404);
  EXPECT_EQ(get("/v1/recommendations/web").status, 404);
}

// Four seconds after the start of a program: the first beat is to come.
TEST_F(RecommenderServiceTest, AnUnmeasuredServiceDiffersFromAnUnknownOne) {
  make();
  const auto page = [&](const std::string& name) {
    const http::Response answer = get("/v1/recommendations/" + name + "/app/explain");
    return std::to_string(answer.status) + " " + answer.body;
  };
  EXPECT_THAT(page("web"), HasSubstr("neither a workload nor a replica that was seen"))
      << "it advises only, and knows no services";
  service_->apply_to(cluster_, cluster_, {});
  for (const char* name : {"web", "web-1"}) {
    EXPECT_THAT(page(name), testing::StartsWith("503 ")) << name;
    EXPECT_THAT(page(name), HasSubstr("not measured yet; it recommends every 1m")) << name;
  }
  EXPECT_THAT(page("shop"), testing::StartsWith("404 "));
  cluster_.web.replicas.clear();
  cluster_.publish();
  EXPECT_THAT(page("web"), HasSubstr("not measured yet; it has no replica"));
  cluster_.web.settings.resources.mode = config::ResourcesMode::kOff;
  cluster_.publish();
  EXPECT_THAT(page("web"), testing::StartsWith("404 "));
  EXPECT_THAT(page("web"), HasSubstr("resources-mode is off, want advise, initial or auto"));
}

TEST_F(RecommenderServiceTest, WhatWasLearnedOutlivesARestart) {
  const test::TemporaryFolder folder;
  make(folder.path("learned"));
  tick();
  stop();
  make(folder.path("learned"));
  service_->start();
  source_->fails = true;
  tick();
  EXPECT_EQ(cpu_target(), Millicores{126});
  stop();
}

TEST_F(RecommenderServiceTest, AnInvalidCheckpointIsRenamedAndIgnored) {
  const test::TemporaryFolder folder;
  const std::string file = folder.path("learned");
  for (const char* text :
       {"{\"version\":7}", R"({"version":1,"workloads":{"web":{"vpa":"{}"}}})"}) {
    std::ofstream(file) << text;
    make(file);
    service_->start();
    EXPECT_TRUE(std::filesystem::exists(file + ".broken")) << text;
    tick();
    EXPECT_TRUE(cpu_target().has_value());
    stop();
    std::filesystem::remove(file + ".broken");
  }
}

TEST_F(RecommenderServiceTest, ReplicasGetTheirSizeAndTheStatusShowsIt) {
  make();
  service_->apply_to(cluster_, cluster_,
                     {.scaling = [](const RevisionId&) { return ScalingState{}; },
                      .memory_use = [](const RevisionId&, const PodName&) -> std::optional<Bytes> {
                        return mebibytes(300);
                      }});
  tick();
  ASSERT_EQ(cluster_.resizes.size(), 1u);
  EXPECT_EQ(cluster_.resizes[0].second.cpu, Millicores{126});
  const auto status = service_->status_of(cluster_.web);
  ASSERT_TRUE(status.has_value());
  EXPECT_THAT(*status, HasSubstr("\"mode\":\"auto\""));
  EXPECT_THAT(*status, HasSubstr("\"policy\":\"vpa\""));
  EXPECT_THAT(*status, HasSubstr("\"resizes\":1"));
  cluster_.web.settings.resources.mode = config::ResourcesMode::kOff;
  EXPECT_EQ(service_->status_of(cluster_.web), std::nullopt);
}

TEST_F(RecommenderServiceTest, BadNewsDoesNotWaitForTheNextBeat) {
  make();
  service_->start();
  service_->request_tick();
  const TimePoint end = sys::system_clock().now() + 5s;
  while (!cpu_target() && sys::system_clock().now() < end) {
    io_.restart();
    io_.run_one_for(100ms);
  }
  EXPECT_TRUE(cpu_target().has_value()) << "an interval is a minute";
  stop();
}

}  // namespace
}  // namespace bellows::recommender
