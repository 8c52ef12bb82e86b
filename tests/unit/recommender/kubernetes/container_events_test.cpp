// What two states of a pod say about its containers, and which pods a target has.
#include "recommender/kubernetes/core/container_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "recommender/kubernetes/core/selector_target.hpp"
#include "tests/unit/recommender/kubernetes/vertical_scene.hpp"

namespace bellows::recommender {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

kubernetes::Pod pod_of(const ScenePod& pod) {
  return kubernetes::read_object<kubernetes::Pod>(pod_json(pod)).value();
}

kubernetes::Pod pod_with(const SceneContainer& app) {
  return pod_of(ScenePod{.containers = {{"app", app}}});
}

std::string text_of(const Observation& seen) {
  if (const auto* request = std::get_if<Request>(&seen.what)) {
    return "request " + std::to_string(request->memory.value);
  }
  if (std::holds_alternative<Gone>(seen.what)) return "gone";
  const auto& what = std::get<Event>(seen.what).what;
  if (const auto* kill = std::get_if<OomKilled>(&what)) {
    return "oom " + std::to_string(kill->memory.value);
  }
  if (std::holds_alternative<Crashed>(what)) return "crash";
  if (std::holds_alternative<Started>(what)) return "start";
  return std::get<CrashLoop>(what).active ? "crash loop" : "end of crash loop";
}

std::vector<std::string> texts(const std::vector<Observation>& seen) {
  std::vector<std::string> all;
  for (const Observation& each : seen) all.push_back(text_of(each));
  return all;
}

std::vector<std::string> between(const SceneContainer& before, const SceneContainer& after) {
  const kubernetes::Pod first = pod_with(before);
  return texts(changes_of(&first, pod_with(after), replay_time(0), replay_time(1000)));
}

const SceneContainer kRunning{.memory = "100", .running_since = 10};

TEST(AKill, IsSeenOnceWhateverStateFollows) {
  const SceneContainer ended{.memory = "100", .running_since = -1, .killed_at = 100};
  const SceneContainer waiting{
      .memory = "100", .restarts = 1, .killed_at = 100, .is_waiting = true};
  const SceneContainer again{
      .memory = "100", .running_since = 110, .restarts = 1, .killed_at = 100};
  EXPECT_THAT(between(kRunning, ended), ElementsAre("oom 100", "crash"));
  EXPECT_THAT(between(kRunning, waiting), ElementsAre("oom 100", "crash", "crash loop"));
  EXPECT_THAT(between(kRunning, again), ElementsAre("oom 100", "crash", "start"));
  EXPECT_THAT(between(ended, waiting), ElementsAre("crash loop"));
  EXPECT_THAT(between(waiting, again), ElementsAre("end of crash loop"));
  EXPECT_THAT(between(ended, again), ElementsAre("start"));
  EXPECT_THAT(between(again, again), IsEmpty());
}

TEST(AKill, HasTheRequestOfTheContainerThatWasKilled) {
  const SceneContainer grown{
      .memory = "300", .running_since = 110, .restarts = 1, .killed_at = 100};
  EXPECT_THAT(between(kRunning, grown), ElementsAre("oom 100", "crash", "request 300", "start"));
}

TEST(AKill, ThatAnEarlierProgramSawDoesNotCountAgain) {
  const kubernetes::Pod pod =
      pod_with({.memory = "100", .running_since = 110, .restarts = 3, .killed_at = 100});
  EXPECT_THAT(texts(changes_of(nullptr, pod, replay_time(200), replay_time(1000))),
              ElementsAre("request 100"));
  EXPECT_THAT(texts(changes_of(nullptr, pod, replay_time(50), replay_time(1000))),
              ElementsAre("oom 100", "crash", "request 100", "start"));
}

TEST(AnEviction, ForMemoryIsAKillWithTheUsageOfTheContainersThatTheKubeletNames) {
  struct Case {
    std::string message;  ///< as kubelets of 1.20 and of 1.36 write it
    std::vector<std::string> events;
  };
  const kubernetes::Pod running = pod_with(kRunning);
  for (const auto& [message, events] : std::vector<Case>{
           {"The node was low on resource: memory. Container app was using 2Mi, which exceeds its "
            "request of 1Mi. ",
            {"oom 2097152"}},
           {"The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. "
            "Container log was using 9Mi, request is 0, has larger consumption of memory. "
            "Container "
            "app was using 4872Ki, request is 1Mi, has larger consumption of memory. ",
            {"oom 4988928"}},
           {"The node was low on resource: memory. Container log was using 9Mi, request is 0, has "
            "larger consumption of memory. ",
            {}},
           {"The node was low on resource: ephemeral-storage. Container app was using 2Mi, request "
            "is "
            "0, has larger consumption of ephemeral-storage. ",
            {}},
           {"The node was low on resource: memory. Container app was using a lot, of memory", {}},
           {"The node was low on resource: memory. Container app was using ", {}},
           {"Pod was rejected", {}}}) {
    SCOPED_TRACE(message);
    kubernetes::Pod evicted = running;
    evicted.phase = kubernetes::PodPhase::kFailed;
    evicted.reason = "Evicted";
    evicted.message = message;
    EXPECT_EQ(texts(changes_of(&running, evicted, replay_time(0), replay_time(1000))), events);
    EXPECT_THAT(texts(changes_of(&evicted, evicted, replay_time(0), replay_time(1000))), IsEmpty());
    evicted.container_statuses.clear();  // an evicted pod may have none
    EXPECT_EQ(texts(changes_of(&running, evicted, replay_time(0), replay_time(1000))), events);
  }
}

TEST(ANewPod, HasItsRequestsFromItsStartOn) {
  const ScenePod pod{.containers = {{"app", {.memory = "100", .running_since = 4000}},
                                    {"old", {.memory = "7", .running_since = 0}},
                                    {"queue-proxy", {}}}};
  const auto seen = first_observations(pod_of(pod), replay_time(5000));
  EXPECT_THAT(texts(seen), ElementsAre("request 100", "request 7"));
  EXPECT_EQ(seen[0].at, replay_time(4000));
  EXPECT_EQ(seen[1].at, replay_time(1400)) << "an hour before";
  EXPECT_THAT(texts(last_observations(pod_of(pod), replay_time(5000))),
              ElementsAre("gone", "gone"));
}

TargetSelector found(const std::string& kind, const std::string& version, const std::string& json) {
  const auto target = kubernetes::read_object<SelectorTarget>(json);
  EXPECT_TRUE(target.has_value()) << kubernetes::error_of(target);
  return selector_of(&*target, "shop", {.api_version = version, .kind = kind, .name = "web"});
}

TEST(ATarget, HasItsSelectorWhereItsKindHasIt) {
  const auto text = [](const TargetSelector& target) {
    return target.selector ? target.selector->text() : target.unsupported;
  };
  const std::string meta = "'metadata':{'namespace':'shop','name':'web'}";
  const std::string owned =
      "'metadata':{'namespace':'shop','name':'web','ownerReferences':[{"
      "'apiVersion':'batch/v1','kind':'CronJob','name':'nightly','controller':true}]}";
  EXPECT_EQ(text(found("DaemonSet", "apps/v1",
                       "{" + meta + ",'spec':{'selector':{'matchLabels':{'a':'b'}}}}")),
            "a=b");
  EXPECT_EQ(
      text(found("ReplicationController", "v1", "{" + meta + ",'spec':{'selector':{'a':'b'}}}")),
      "a=b");
  EXPECT_EQ(text(found("CronJob", "batch/v1",
                       "{" + meta +
                           ",'spec':{'jobTemplate':{'spec':{'template':{'metadata':{'labels':"
                           "{'a':'b'}}}}}}}")),
            "a=b");
  EXPECT_EQ(text(found("Job", "batch/v1", "{" + meta + ",'spec':{}}")),
            "Cannot read targetRef. Reason: Job shop/web has no selector");
  EXPECT_EQ(text(found("Job", "batch/v1",
                       "{" + owned + ",'spec':{'selector':{'matchLabels':{'a':'b'}}}}")),
            "The target batch/v1.Job/web has a parent controller but it should point to a topmost "
            "well-known or scalable controller: CronJob nightly");
  EXPECT_TRUE(has_selector({.api_version = "apps/v1", .kind = "Deployment", .name = "web"}));
  EXPECT_FALSE(has_selector({.api_version = "argoproj.io/v1", .kind = "Deployment", .name = "x"}));
}

}  // namespace
}  // namespace bellows::recommender
