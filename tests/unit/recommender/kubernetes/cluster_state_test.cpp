// VerticalPodAutoscalers, their pods and what these use: to statuses and checkpoints.
#include "recommender/kubernetes/core/cluster_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/recommender/kubernetes/vertical_scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

constexpr std::int64_t kMi = 1024 * 1024;

TEST(VerticalStatus, IsWrittenOnceAndAgainAfterOnePercent) {
  VerticalScene scene;
  scene.put(scene.object("web"));
  scene.put(ScenePod());
  scene.measure("web-1", 100, 500 * kMi, 60);
  EXPECT_EQ(scene.loop(60), 1U);
  EXPECT_EQ(scene.cpu(), "126m");
  EXPECT_EQ(scene.memory(), 628694953);
  EXPECT_EQ(scene.number("web", "app", "uncappedTarget", "cpu"), "126m");
  EXPECT_EQ(scene.condition("RecommendationProvided"), "True: ");
  EXPECT_EQ(scene.condition("NoPodsMatched"), "");
  EXPECT_EQ(scene.loop(61), 0U) << "nothing has changed";
  // From then on only the upper bound moves, by less every day.
  for (int minute = 2; minute <= 1440; ++minute)
    scene.measure("web-1", 100, 500 * kMi, minute * 60);
  EXPECT_EQ(scene.loop(86400), 1U);
  scene.measure("web-1", 100, 500 * kMi, 86460);
  EXPECT_EQ(scene.loop(86460), 0U) << "the bound fell by less than 1 %";
}

TEST(VerticalStatus, HasNoPodsUntilOneRuns) {
  VerticalScene scene;
  scene.put(scene.object("web"));
  EXPECT_EQ(scene.loop(0), 1U);
  EXPECT_EQ(scene.condition("NoPodsMatched"), "True: No pods match this VPA object");
  EXPECT_EQ(scene.condition("RecommendationProvided"), "False: No pods match this VPA object");
  EXPECT_EQ(scene.cpu(), "");
  scene.put(ScenePod{.phase = "Pending"}, 1);
  EXPECT_EQ(scene.loop(1), 0U) << "a pod that has not started uses nothing";
  scene.put(ScenePod(), 2);
  scene.measure("web-1", 100, 0, 60);
  scene.loop(60);
  EXPECT_EQ(scene.condition("NoPodsMatched"), "");
  EXPECT_EQ(scene.cpu(), "126m");
  scene.remove_pod("web-1", 61);
  scene.loop(61);
  EXPECT_EQ(scene.condition("NoPodsMatched"), "True: No pods match this VPA object");
  EXPECT_EQ(scene.cpu(), "126m") << "what was learned stays";
}

/// Applies each target, and lets the container be killed by what it has.
std::int64_t after_kills(RecommenderPolicy policy, int kills) {
  VerticalScene scene(policy);
  scene.put(scene.object("web"));
  ScenePod pod{.containers = {{"app", {.memory = std::to_string(64 * kMi)}}}};
  scene.put(pod);
  for (int kill = 1; kill <= kills; ++kill) {
    SceneContainer& app = pod.containers["app"];
    app.killed_at = app.running_since = kill * 600;
    app.restarts = kill;
    scene.put(pod, kill * 600);
    scene.loop(kill * 600);
    app.memory = std::to_string(scene.memory());
    scene.put(pod, kill * 600 + 1);
  }
  return scene.memory();
}

// No sample was ever taken: autoscaler#4981.
TEST(AContainerThatIsKilled, RisesByItsKillsAlone) {
  for (const auto policy :
       {RecommenderPolicy::kVpa, RecommenderPolicy::kSpike, RecommenderPolicy::kHybrid}) {
    const std::int64_t once = after_kills(policy, 1);
    EXPECT_GT(once, 64 * kMi) << policy_name(policy);
    EXPECT_GT(after_kills(policy, 4), once * 3 / 2) << policy_name(policy);
  }
}

TEST(APodOfTwoObjects, IsReportedOnBoth) {
  VerticalScene scene;
  scene.put(scene.object("web"));
  scene.put(scene.object("other"));
  scene.put(ScenePod());
  scene.measure("web-1", 100, 0, 60);
  scene.loop(60);
  EXPECT_EQ(scene.cpu("web"), "126m");
  EXPECT_EQ(scene.cpu("other"), "126m");
  const auto problems = scene.state.take_problems();
  ASSERT_EQ(problems.size(), 1U) << "once";
  EXPECT_EQ(to_string(problems.front()),
            "pod shop/web-1: several VerticalPodAutoscalers select it: other, web; want one");
}

TEST(AMeasurement, OfTheQueueProxyOrOfOtherContainersCountsNothing) {
  VerticalScene scene;
  scene.put(scene.object("web"));
  scene.put(ScenePod{.containers = {{"app", {}}, {"queue-proxy", {}}}});
  scene.measure("web-1", {{"app", {100}, {0}}, {"queue-proxy", {3000}, {0}}, {"init", {9}, {9}}},
                60);
  scene.loop(60);
  EXPECT_EQ(scene.cpu(), "126m");
  EXPECT_EQ(scene.number("web", "app", "target", "memory"), "250Mi") << "of the whole pod";
  EXPECT_EQ(scene.number("web", "queue-proxy", "target", "cpu"), "");
  EXPECT_EQ(scene.state.counters().samples, 2U);
}

TEST(AMeasurement, CountsOnceAndNotAtAllIfItIsLateOrOfTheFuture) {
  VerticalScene scene;
  scene.put(scene.object("web"));
  scene.put(ScenePod(), 60);
  scene.measure("web-1", 100, kMi, 60);
  scene.measure("web-1", 5000, kMi, 60);
  scene.measure("web-1", 5000, kMi, 30);
  scene.measure("web-1", 5000, kMi, 120, 900);
  scene.measure("web-1", 5000, kMi, 9000, 900);
  EXPECT_EQ(scene.state.counters().samples, 2U);
  EXPECT_EQ(scene.state.counters().unknown, 2U);
  EXPECT_EQ(scene.state.newest_sample(), replay_time(60));
  scene.measure("nobody", 5000, kMi, 61);
  scene.loop(900);
  EXPECT_EQ(scene.cpu(), "126m");
}

TEST(ResourcePolicy, LimitsTurnsOffAndLeavesOut) {
  VerticalScene scene;
  scene.put(scene.object(
      "web",
      ",'resourcePolicy':{'containerPolicies':["
      "{'containerName':'app','minAllowed':{'cpu':'0.5'},'maxAllowed':{'memory':'100Mi'}},"
      "{'containerName':'cache','mode':'Off'},"
      "{'containerName':'*','controlledResources':['memory']}]}"));
  scene.put(ScenePod{.containers = {{"app", {}}, {"cache", {}}, {"log", {}}}});
  scene.measure("web-1",
                {{"app", {100}, {500 * kMi}}, {"cache", {100}, {kMi}}, {"log", {100}, {kMi}}}, 60);
  scene.loop(60);
  EXPECT_EQ(scene.cpu(), "500m");
  EXPECT_EQ(scene.memory(), 100 * kMi);
  EXPECT_EQ(scene.number("web", "app", "uncappedTarget", "memory"), "628694953");
  EXPECT_EQ(scene.number("web", "cache", "target", "cpu"), "");
  EXPECT_EQ(scene.number("web", "log", "target", "cpu"), "");
  EXPECT_NE(scene.number("web", "log", "target", "memory"), "");
  // A changed policy is in force with the next loop, and nothing is forgotten.
  scene.put(scene.object("web",
                         ",'resourcePolicy':{'containerPolicies':[{'containerName':'*','mode':"
                         "'Off'}]}",
                         {}, boost::json::serialize(scene.statuses["web"])),
            61);
  scene.loop(61);
  EXPECT_TRUE(scene.patches["web"].at("recommendation").is_null());
  scene.put(scene.object("web"), 62);
  scene.loop(62);
  EXPECT_EQ(scene.cpu(), "126m");
  EXPECT_EQ(scene.memory(), 628694953);
}

TEST(ResourcePolicy, OfAnUnknownContainerOrWithAMinimumAboveItsMaximumIsTold) {
  VerticalScene scene;
  scene.put(
      scene.object("web",
                   ",'resourcePolicy':{'containerPolicies':[{'containerName':'nope'},"
                   "{'containerName':'app','minAllowed':{'cpu':'2'},'maxAllowed':{'cpu':'1'}}]}"));
  scene.put(ScenePod());
  scene.measure("web-1", 100, 0, 60);
  scene.loop(60);
  EXPECT_EQ(scene.cpu(), "1000m") << "the maximum is in force, as with VPA";
  EXPECT_EQ(scene.condition("ConfigUnsupported"),
            "True: container policy app: min-allowed cpu 2000m: want at most max-allowed, which is "
            "1000m");
  const auto problems = scene.state.take_problems();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(to_string(problems.front()),
              StartsWith("VerticalPodAutoscaler shop/web: container policy nope"));
}

TEST(Annotations, ChooseThePolicyAndItsSettings) {
  VerticalScene scene;
  scene.put(scene.object("web", {},
                         ",'annotations':{'recommender.bellows.dev/policy':'spike',"
                         "'recommender.bellows.dev/scale-up-factor':'3',"
                         "'recommender.bellows.dev/app_scale-up-factor':'4','other/x':'y'}"));
  scene.put(ScenePod());
  scene.measure("web-1", 100, 0, 60);
  scene.loop(60);
  EXPECT_EQ(scene.cpu(), "400m");
  EXPECT_THAT(scene.state.objects(), ElementsAre(Pair(Pair("spike", ""), 1)));
  // Another policy goes on with what was learned.
  scene.put(scene.object("web", {}, ",'annotations':{'recommender.bellows.dev/policy':'vpa'}"), 61);
  scene.measure("web-1", 100, 0, 120);
  scene.loop(120);
  EXPECT_EQ(scene.cpu(), "126m");
}

TEST(Annotations, ThatAreInvalidAreToldAndChangeNothing) {
  VerticalScene scene;
  scene.put(scene.object("web", {},
                         ",'annotations':{'recommender.bellows.dev/policy':'best',"
                         "'recommender.bellows.dev/target-cpu-percentile':'0.5'}"));
  scene.put(ScenePod());
  scene.measure("web-1", 100, 0, 60);
  scene.loop(60);
  EXPECT_EQ(scene.cpu(), "126m");
  EXPECT_THAT(scene.condition("ConfigUnsupported"),
              HasSubstr("annotation recommender.bellows.dev/policy"));
  EXPECT_THAT(scene.condition("ConfigUnsupported"),
              HasSubstr("\"best\": want vpa, spike or hybrid"));
  scene.put(scene.object("web", {}, {}, boost::json::serialize(scene.statuses["web"])), 61);
  scene.loop(61);
  EXPECT_EQ(scene.condition("ConfigUnsupported"), "");
}

TEST(ALostTarget, IsACondition) {
  VerticalScene scene;
  scene.put(scene.object("web"));
  scene.put(ScenePod());
  scene.measure("web-1", 100, 0, 60);
  scene.loop(60);
  const kubernetes::ScaleTargetRef target{
      .api_version = "apps/v1", .kind = "Deployment", .name = "web"};
  scene.state.target_found("shop/web", selector_of(nullptr, "shop", target));
  scene.state.recommend(replay_time(61));
  const auto writes = scene.state.status_writes(replay_time(61));
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_THAT(writes[0].patch,
              HasSubstr("Cannot read targetRef. Reason: Deployment shop/web does not exist"));
  EXPECT_THAT(writes[0].patch, HasSubstr("\"cpu\":\"126m\"")) << "the recommendation stays";
}

TEST(ACheckpoint, OfVpaIsTheHistoryOfAnObject) {
  VerticalScene before;
  before.put(before.object("web"));
  before.put(ScenePod());
  for (int day = 0; day <= 1; ++day) before.measure("web-1", 700, 900 * kMi, day * 86400 + 60);
  before.loop(86460);
  EXPECT_THAT(before.state.stale_checkpoints(), ElementsAre("shop/web"));
  const auto written = before.state.checkpoints_of("shop/web", replay_time(86461));
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].name, "web-app");
  EXPECT_THAT(written[0].patch, HasSubstr(R"([{"op":"add","path":"/status","value":)"));
  before.state.checkpoints_written("shop/web", replay_time(86461));
  EXPECT_TRUE(before.state.stale_checkpoints().empty());

  VerticalScene after;
  after.has_history = false;
  after.put(after.object("web"), 86470);
  EXPECT_THAT(after.state.without_history(), ElementsAre("shop/web"));
  EXPECT_EQ(after.loop(86470), 0U) << "not before its checkpoints are read";
  const auto object = kubernetes::read_object<kubernetes::CustomObject>(written[0].object);
  ASSERT_TRUE(object.has_value());
  const auto owner = owner_of(*object);
  ASSERT_TRUE(owner.has_value());
  EXPECT_EQ(owner->autoscaler, "web");
  const auto checkpoint = checkpoint_of(*object);
  ASSERT_TRUE(checkpoint.has_value()) << to_string(checkpoint.error());
  after.state.load("shop", *owner, *checkpoint);
  after.has_history = true;
  after.put(after.object("web"), 86470);
  after.put(ScenePod(), 86470);
  after.loop(86471);
  EXPECT_EQ(after.cpu(), before.cpu());
  EXPECT_EQ(after.memory(), before.memory());
}

TEST(ACheckpoint, OfAnotherVersionOrCutIsNamed) {
  const auto refused = [](const std::string& text) {
    const auto object = kubernetes::read_object<kubernetes::CustomObject>(
        "{'metadata':{'namespace':'shop','name':'web-app'}," + text + "}");
    EXPECT_TRUE(object.has_value());
    if (const auto owner = owner_of(*object); !owner) return to_string(owner.error());
    return kubernetes::error_of(checkpoint_of(*object));
  };
  const std::string spec = "'spec':{'vpaObjectName':'web','containerName':'app'}";
  EXPECT_EQ(refused("'status':{}"), "checkpoint shop/web-app: spec: missing");
  EXPECT_THAT(refused("'spec':{'vpaObjectName':'web'}"),
              HasSubstr("checkpoint shop/web-app: spec.containerName"));
  EXPECT_EQ(refused(spec), "checkpoint shop/web-app: status: missing");
  EXPECT_THAT(refused(spec + ",'status':{'version':'v4'}"),
              testing::AllOf(HasSubstr("checkpoint shop/web-app"), HasSubstr("version: \"v4\"")));
  EXPECT_THAT(refused(spec + ",'status':{'version':'v3','cpuHistogram':{}}"),
              HasSubstr("memoryHistogram"));
}

// Neither the samples nor the peak of the day are there again yet.
TEST(ARestart, LeavesTheRecommendationUntilPodsAreMeasured) {
  for (const auto policy : {RecommenderPolicy::kVpa, RecommenderPolicy::kHybrid}) {
    VerticalScene scene(policy);
    const std::string sizes = "{'cpu':'700m','memory':'3Gi'}";
    const VerticalPtr object = scene.object(
        "web", {}, {},
        "{'recommendation':{'containerRecommendations':[{'containerName':'app','target':" + sizes +
            ",'lowerBound':" + sizes + ",'upperBound':" + sizes + ",'uncappedTarget':" + sizes +
            "}]},'conditions':[{'type':'RecommendationProvided','status':'True'}]}");
    scene.state.object_changed(nullptr, object, replay_time(0));
    scene.state.target_found("shop/web",
                             {.selector = kubernetes::Selector::parse("app=web").value()});
    scene.state.history_read("shop/web");
    scene.put(ScenePod());
    scene.state.recommend(replay_time(1));
    EXPECT_TRUE(scene.state.status_writes(replay_time(1)).empty()) << policy_name(policy);
    scene.measure("web-1", 500, 2048 * kMi, 60);
    scene.state.metrics_read();
    scene.state.recommend(replay_time(61));
    const auto writes = scene.state.status_writes(replay_time(61));
    ASSERT_EQ(writes.size(), 1U) << policy_name(policy);
    const bool begins_with_it =
        writes[0].patch.find(R"("target":{"cpu":"700m","memory":"3Gi"})") != std::string::npos;
    EXPECT_EQ(begins_with_it, policy == RecommenderPolicy::kHybrid) << writes[0].patch;
  }
}

TEST(ADeletedObject, LeavesItsCheckpointsToDeleteAndNothingElse) {
  VerticalScene scene;
  scene.put(scene.object("web"));
  scene.put(ScenePod());
  scene.measure("web-1", 2000, 0, 60);
  scene.loop(60);
  scene.remove("web", 61);
  EXPECT_THAT(scene.state.take_orphans(), ElementsAre(Pair("shop", "web-app")));
  EXPECT_TRUE(scene.state.take_orphans().empty());
  EXPECT_TRUE(scene.state.status_writes(replay_time(61)).empty());
  // One of the same name before the next loop begins without its samples, and with its pods.
  scene.statuses.clear();
  scene.put(scene.object("web"), 62);
  scene.measure("web-1", 100, 0, 120);
  scene.loop(120);
  EXPECT_EQ(scene.cpu(), "126m");
  EXPECT_EQ(scene.condition("NoPodsMatched"), "");
}

TEST(AnObject, IsOursIfItNamesUsAndOtherwiseByTheSetting) {
  using config::ObjectsOfOthers;
  using Role = ClusterState::Role;
  struct Case {
    ObjectsOfOthers others;
    Role names_another;
    Role names_nobody;
  };
  for (const auto& [others, names_another, names_nobody] :
       std::vector<Case>{{ObjectsOfOthers::kLeave, Role::kNone, Role::kNone},
                         {ObjectsOfOthers::kCompare, Role::kCompared, Role::kCompared},
                         {ObjectsOfOthers::kAdopt, Role::kNone, Role::kOurs}}) {
    VerticalScene scene(RecommenderPolicy::kVpa, others);
    VerticalAutoscaler object = *scene.object("web");
    EXPECT_EQ(scene.state.role_of(object), Role::kOurs);
    object.recommenders = {"default"};
    EXPECT_EQ(scene.state.role_of(object), names_another);
    object.recommenders.clear();
    EXPECT_EQ(scene.state.role_of(object), names_nobody);
  }
}

TEST(AnObjectOfAnotherRecommender, GetsOurNumbersAsAnAnnotationOfOnePercent) {
  VerticalScene scene(RecommenderPolicy::kVpa, config::ObjectsOfOthers::kCompare);
  const std::string status =
      "{'recommendation':{'containerRecommendations':[{'containerName':'app','target':{'cpu':'9'}}]"
      "}}";
  const auto of_another = [&](const std::string& annotation) {
    auto object = std::make_shared<VerticalAutoscaler>(*scene.object(
        "web", "", ",'annotations':{'bellows.dev/recommendation':" + annotation + "}", status));
    object->recommenders = {"default"};
    return VerticalPtr(object);
  };
  scene.put(of_another("'nonsense'"));
  scene.put(ScenePod());
  scene.measure("web-1", 100, 500 * kMi, 60);
  scene.state.recommend(replay_time(60));
  const auto writes = scene.state.status_writes(replay_time(60));
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_TRUE(writes[0].is_comparison);
  const boost::json::value patch = boost::json::parse(writes[0].patch);
  const auto& text = patch.at("metadata").at("annotations").at("bellows.dev/recommendation");
  const auto numbers = boost::json::parse(text.as_string()).at("containerRecommendations").at(0);
  EXPECT_EQ(numbers.at("target").at("cpu").as_string(), "126m") << "not what its recommender says";
  EXPECT_EQ(numbers.at("target").at("memory").as_string(), "628694953");

  scene.put(of_another(boost::json::serialize(text)));
  scene.state.recommend(replay_time(61));
  EXPECT_TRUE(scene.state.status_writes(replay_time(61)).empty()) << "nothing has changed";
  EXPECT_TRUE(scene.state.stale_checkpoints().empty()) << "they are its recommender's";
  scene.state.object_changed(of_another("'x'"), nullptr, replay_time(62));
  EXPECT_TRUE(scene.state.take_orphans().empty());
}

TEST(AnObjectOfAnotherRecommender, IsOursFromThenOnThatItNamesUs) {
  VerticalScene scene(RecommenderPolicy::kVpa, config::ObjectsOfOthers::kCompare);
  auto object = std::make_shared<VerticalAutoscaler>(*scene.object("web"));
  object->recommenders.clear();
  scene.put(VerticalPtr(object));
  scene.put(ScenePod());
  scene.put(scene.object("web"), 1);
  scene.measure("web-1", 100, 500 * kMi, 60);
  EXPECT_EQ(scene.loop(60), 1U);
  EXPECT_EQ(scene.cpu(), "126m");
}

TEST(AnObject, ThatGoesToAnotherRecommenderKeepsItsCheckpoints) {
  VerticalScene scene;
  scene.put(scene.object("web"));
  scene.put(ScenePod());
  auto given = std::make_shared<VerticalAutoscaler>(*scene.object("web"));
  given->recommenders = {"default"};
  scene.state.object_changed(scene.object("web"), given, replay_time(1));
  EXPECT_FALSE(scene.state.has_object("shop", "web"));
  EXPECT_TRUE(scene.state.take_orphans().empty());
}

TEST(Explain, TakesTheNameOfAPod) {
  VerticalScene scene;
  scene.put(scene.object("web"));
  scene.put(ScenePod());
  scene.measure("web-1", 100, 0, 60);
  scene.loop(60);
  const auto lines = scene.state.explain("shop/web-1", ContainerName("app"), {}, replay_time(61));
  ASSERT_TRUE(lines.has_value()) << to_string(lines.error());
  EXPECT_THAT(*lines, testing::Contains(HasSubstr("126m")));
  EXPECT_THAT(
      to_string(scene.state.explain("shop/x", ContainerName("app"), {}, replay_time(61)).error()),
      StartsWith("pod \"shop/x\": no VerticalPodAutoscaler of this recommender selects it"));
}

TEST(AnObject, WithAQuantityThatIsNoneIsRefusedByName) {
  const auto read = kubernetes::read_object<VerticalAutoscaler>(
      "{'metadata':{'namespace':'shop','name':'web'},'spec':{'resourcePolicy':{'containerPolicies':"
      "[{'containerName':'app','minAllowed':{'cpu':'much'}}]}}}");
  EXPECT_THAT(kubernetes::error_of(read),
              HasSubstr("VerticalPodAutoscaler shop/web: "
                        "spec.resourcePolicy.containerPolicies[0].minAllowed.cpu: \"much\""));
}

}  // namespace
}  // namespace bellows::recommender
