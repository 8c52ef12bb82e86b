// The recommender of a cluster, with an API server within the test.
#include "recommender/kubernetes/io/kubernetes_recommender.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/timestamp_text.hpp"
#include "tests/support/fake_api_server.hpp"
#include "tests/support/open_credentials.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"

namespace bellows::recommender {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const kubernetes::Resource kMetrics{"metrics.k8s.io", "v1beta1", "pods"};

std::string json_of(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

/// A server with VPA's kinds, a Deployment web with one pod, and an object for it.
class OnAServer : public testing::Test {
 protected:
  OnAServer() {
    settings_.loop.interval = 100ms;
    settings_.policies.policy = config::RecommenderPolicy::kVpa;
  }
  ~OnAServer() override {
    run_task_([this]() -> http::Awaitable<void> {
      if (recommender_) co_await recommender_->stop(sys::system_clock().now() + 5s);
    });
  }

  void add_kinds() {
    add_kind(vertical_autoscalers(), "VerticalPodAutoscaler", true);
    add_kind(vertical_checkpoints(), "VerticalPodAutoscalerCheckpoint", false);
  }
  void add_kind(const kubernetes::Resource& resource, const std::string& kind, bool has_status) {
    server_.store().add_kind({.resource = resource,
                              .kind = kind,
                              .is_namespaced = true,
                              .has_status = has_status,
                              .has_scale = false,
                              .other_versions = {}});
  }
  void put(const kubernetes::Resource& resource, const std::string& object) {
    server_.store().put(resource, json_of(object));
  }
  void put_web() {
    put(kubernetes::deployments(),
        "{'metadata':{'namespace':'shop','name':'web'},'spec':{'selector':{'matchLabels':{'app':'"
        "web'}}}}");
    put(kubernetes::pods(),
        "{'metadata':{'namespace':'shop','name':'web-1','labels':{'app':'web'}},'spec':{'"
        "containers':"
        "[{'name':'app'}]},'status':{'phase':'Running','containerStatuses':[{'name':'app','state':{"
        "'running':{'startedAt':'2026-01-01T00:00:00Z'}}}]}}");
    put_object("web", "{'apiVersion':'apps/v1','kind':'Deployment','name':'web'}");
  }
  void put_object(const std::string& name, const std::string& target) {
    put(vertical_autoscalers(),
        "{'metadata':{'namespace':'shop','name':'" + name +
            "'},'spec':{'recommenders':[{'name':'bellows'}],'targetRef':" + target + "}}");
  }
  void measure(const std::string& cpu) {
    put(kMetrics, "{'metadata':{'namespace':'shop','name':'web-1'},'timestamp':'" +
                      timestamp_text(sys::system_clock().wall_now()) +
                      "','containers':[{'name':'app','usage':{'cpu':'" + cpu +
                      "','memory':'500Mi'}}]}");
  }
  void add_metrics() { add_kind(kMetrics, "PodMetrics", false); }

  void start() {
    recommender_.emplace(io_, sys::system_clock(), client_, random_, settings_);
    recommender_->start();
  }
  void stop() {
    run_task_([this]() -> http::Awaitable<void> {
      co_await recommender_->stop(sys::system_clock().now() + 5s);
    });
    recommender_.reset();
  }
  bool wait_for(const std::function<bool()>& is_true) { return test::run_until(io_, is_true); }
  std::string text(const kubernetes::Resource& resource, const std::string& name) {
    const auto found = server_.store().find(resource, "shop", name);
    return found ? *found : std::string();
  }
  bool has(const std::string& part, const std::string& name = "web") {
    return text(vertical_autoscalers(), name).find(part) != std::string::npos;
  }
  std::size_t statuses() {
    return server_.count(
        "PATCH /apis/autoscaling.k8s.io/v1/namespaces/shop/"
        "verticalpodautoscalers/web/status");
  }

  http::net::io_context io_;
  SeededRandom random_{7};
  test::FakeApiServer server_{io_, {}};
  kubernetes::ApiClient client_{io_, std::make_shared<test::OpenCredentials>(server_), random_};
  config::RecommenderProgramSettings settings_;
  std::optional<KubernetesRecommender> recommender_;

 private:
  void run_task_(const std::function<http::Awaitable<void>()>& body) {
    test::run_task<void>(io_, body);
  }
};

TEST_F(OnAServer, AnObjectGetsItsRecommendationAndACheckpoint) {
  add_kinds();
  add_metrics();
  put_web();
  measure("100m");
  start();
  ASSERT_TRUE(wait_for([&] { return has(R"("target":{"cpu":"126m","memory":"628694953"})"); }))
      << text(vertical_autoscalers(), "web");
  EXPECT_TRUE(has("RecommendationProvided"));
  ASSERT_TRUE(wait_for([&] { return !text(vertical_checkpoints(), "web-app").empty(); }));
  EXPECT_THAT(text(vertical_checkpoints(), "web-app"), HasSubstr(R"("version":"v3")"));
  // At rest nothing is written any more.
  const std::size_t loops = server_.count("GET /apis/metrics.k8s.io/v1beta1/pods");
  const std::size_t written = statuses();
  ASSERT_TRUE(wait_for(
      [&] { return server_.count("GET /apis/metrics.k8s.io/v1beta1/pods") >= loops + 3; }));
  EXPECT_EQ(statuses(), written);
  // The object takes its checkpoints along.
  server_.store().remove(vertical_autoscalers(), "shop", "web");
  EXPECT_TRUE(wait_for([&] { return text(vertical_checkpoints(), "web-app").empty(); }));
}

TEST_F(OnAServer, ACheckpointOfVpaIsTakenOverAndOthersAreNot) {
  add_kinds();
  add_metrics();
  put_web();
  const std::string histograms =
      "'cpuHistogram':{'referenceTimestamp':'2026-11-01T00:00:00Z','bucketWeights':{'30':10000},"
      "'totalWeight':100},'memoryHistogram':{'referenceTimestamp':'2026-11-01T00:00:00Z',"
      "'bucketWeights':{'40':10000},'totalWeight':9},'firstSampleStart':'2026-10-01T00:00:00Z',"
      "'lastSampleStart':'2026-11-01T00:00:00Z','totalSamplesCount':40000";
  put(vertical_checkpoints(),
      "{'metadata':{'namespace':'shop','name':'web-app'},'spec':{'vpaObjectName':'web',"
      "'containerName':'app'},'status':{'version':'v3'," +
          histograms + "}}");
  put(vertical_checkpoints(),
      "{'metadata':{'namespace':'shop','name':'web-b'},'spec':{'vpaObjectName':'web',"
      "'containerName':'b'},'status':{'version':'v9'}}");
  put(vertical_checkpoints(),
      "{'metadata':{'namespace':'shop','name':'gone-app'},'spec':{'vpaObjectName':'gone',"
      "'containerName':'app'},'status':{}}");
  start();
  ASSERT_TRUE(wait_for([&] { return has("\"target\""); })) << text(vertical_autoscalers(), "web");
  EXPECT_FALSE(has("\"25m\"")) << "not the minimum: " << text(vertical_autoscalers(), "web");
  EXPECT_TRUE(wait_for([&] { return text(vertical_checkpoints(), "gone-app").empty(); }));
  EXPECT_THAT(text(vertical_checkpoints(), "web-b"), HasSubstr("v9"));
}

TEST_F(OnAServer, AWriteThatFailsIsWrittenByTheNextLoop) {
  add_kinds();
  add_metrics();
  put_web();
  measure("100m");
  for (const int code : {409, 429, 503, 500}) {
    test::FakeApiFault fault;
    fault.method = "PATCH";
    fault.target = "/status";
    fault.code = code;
    server_.fail(fault);
  }
  start();
  ASSERT_TRUE(wait_for([&] { return has("126m"); }));
  EXPECT_EQ(statuses(), 5U);
}

TEST_F(OnAServer, WithoutVpasKindsIsNotReadyAndNamesIt) {
  add_metrics();
  start();
  ASSERT_TRUE(wait_for([&] {
    return recommender_->not_ready_reason().find("404") != std::string::npos;
  })) << recommender_->not_ready_reason();
  EXPECT_THAT(recommender_->not_ready_reason(),
              HasSubstr("verticalpodautoscalers.autoscaling.k8s.io are not listed yet"));
}

TEST_F(OnAServer, WithoutAMetricsApiIsReadyAndFindsItLater) {
  add_kinds();
  put_web();
  start();
  ASSERT_TRUE(wait_for(
      [&] { return recommender_->metrics_problem().find("metrics.k8s.io") != std::string::npos; }));
  EXPECT_EQ(recommender_->not_ready_reason(), "");
  add_metrics();
  measure("100m");
  EXPECT_TRUE(wait_for([&] { return has("126m"); }));
  EXPECT_EQ(recommender_->metrics_problem(), "");
}

TEST_F(OnAServer, WhileNothingMayBeWrittenItFollows) {
  add_kinds();
  add_metrics();
  put_web();
  measure("100m");
  bool may_write = false;
  client_.restrict_writes([&]() -> Result<void> {
    if (may_write) return {};
    return fail(ErrorKind::kUnavailable, "lease", "another one holds it");
  });
  start();
  ASSERT_TRUE(
      wait_for([&] { return server_.count("GET /apis/metrics.k8s.io/v1beta1/pods") >= 3; }));
  EXPECT_EQ(statuses(), 0U);
  EXPECT_EQ(server_.count("POST"), 0U);
  may_write = true;
  EXPECT_TRUE(wait_for([&] { return has("126m"); }));
}

TEST_F(OnAServer, AfterARestartTheRecommendationStays) {
  add_kinds();
  add_metrics();
  put_web();
  measure("2");
  start();
  ASSERT_TRUE(wait_for([&] { return has("\"target\":{\"cpu\":\"2"); }));
  ASSERT_TRUE(wait_for([&] { return !text(vertical_checkpoints(), "web-app").empty(); }));
  const std::string before = text(vertical_autoscalers(), "web");
  stop();
  server_.store().remove(kMetrics, "shop", "web-1");
  const std::size_t loops = server_.count("GET /apis/metrics.k8s.io/v1beta1/pods");
  start();
  ASSERT_TRUE(wait_for(
      [&] { return server_.count("GET /apis/metrics.k8s.io/v1beta1/pods") >= loops + 3; }));
  const auto target = [](const std::string& object) {
    const std::size_t at = object.find("\"target\":{\"cpu\":");
    return at == std::string::npos ? std::string() : object.substr(at, 24);
  };
  EXPECT_EQ(target(text(vertical_autoscalers(), "web")), target(before));
}

TEST_F(OnAServer, ATargetThatIsGoneIsACondition) {
  add_kinds();
  add_metrics();
  put_web();
  put_object("lost", "{'apiVersion':'apps/v1','kind':'StatefulSet','name':'lost'}");
  put_object("unknown", "{'apiVersion':'example.dev/v1','kind':'App','name':'x'}");
  start();
  EXPECT_TRUE(wait_for([&] {
    return has("Cannot read targetRef. Reason: StatefulSet shop/lost does not exist", "lost");
  })) << text(vertical_autoscalers(), "lost");
  EXPECT_TRUE(wait_for([&] { return has("no matches for kind", "unknown"); }));
  put(kubernetes::stateful_sets(),
      "{'metadata':{'namespace':'shop','name':'lost'},'spec':{'selector':{'matchLabels':{'app':'"
      "web'}}}}");
  EXPECT_TRUE(
      wait_for([&] { return !has("ConfigUnsupported", "lost") && has("\"target\"", "lost"); }));
}

}  // namespace
}  // namespace bellows::recommender
