#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "cluster/kubernetes/core/adoption.hpp"
#include "cluster/kubernetes/core/label_index.hpp"
#include "cluster/kubernetes/core/scale_patch.hpp"
#include "tests/unit/cluster/kubernetes/objects.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using kubernetes::StringMap;
using test::deployment;
using test::revision;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PatchOfScale, TestsWhatWasSeenAndReplacesIt) {
  EXPECT_EQ(scale_patch("u-1", 2, 5), R"([{"op":"test","path":"/metadata/uid","value":"u-1"},)"
                                      R"({"op":"test","path":"/spec/replicas","value":2},)"
                                      R"({"op":"add","path":"/spec/replicas","value":5}])");
}

TEST(PatchOfScale, OfATargetAtZeroTestsThatTheSpecIsEmpty) {
  EXPECT_THAT(scale_patch("u-1", 0, 1), HasSubstr(R"({"op":"test","path":"/spec","value":{}})"));
  EXPECT_THAT(scale_patch("u-1", 0, 1, true),
              HasSubstr(R"({"op":"test","path":"/spec/replicas","value":0})"));
}

struct SharedCase {
  PodCount current;
  PodCount desired;
  std::optional<PodCount> want;
};

TEST(OrderBesideAHorizontalPodAutoscaler, IsWrittenOnlyFromZeroAndFromItsMinimum) {
  constexpr PodCount kMin = 2;
  for (const SharedCase& each : std::vector<SharedCase>{{0, 5, 1},
                                                        {0, 1, 1},
                                                        {2, 0, 0},
                                                        {1, 0, 0},
                                                        {3, 0, std::nullopt},
                                                        {2, 5, std::nullopt},
                                                        {5, 2, std::nullopt},
                                                        {0, 0, std::nullopt}}) {
    EXPECT_EQ(shared_order(each.current, each.desired, kMin), each.want)
        << each.current << " to " << each.desired;
  }
}

ReplicaPtr replica_in(const std::string& name, ReplicaPhase phase, Duration ordered = 0s) {
  Replica made;
  made.name = PodName(name);
  made.phase = phase;
  made.start.ordered = TimePoint(ordered);
  return std::make_shared<const Replica>(std::move(made));
}

Revision revision_with(std::vector<ReplicaPtr> replicas) {
  Revision made;
  made.replicas = std::move(replicas);
  return made;
}

std::vector<std::string> victim_names(const Revision& revision, PodCount desired,
                                      std::vector<PodName> drain_first = {}) {
  std::vector<std::string> names;
  for (const PodName& name : victims(
           revision, {.desired = desired, .drain_first = std::move(drain_first), .reason = {}})) {
    names.push_back(name.text());
  }
  return names;
}

TEST(VictimsOfAScaleDown, AreThoseOfTheOrderThenTheYoungest) {
  const Revision three = revision_with({replica_in("a", ReplicaPhase::kReady, 1s),
                                        replica_in("b", ReplicaPhase::kReady, 2s),
                                        replica_in("c", ReplicaPhase::kReady, 3s)});
  EXPECT_THAT(victim_names(three, 2), ElementsAre("c"));
  EXPECT_THAT(victim_names(three, 1, {PodName("a")}), ElementsAre("a", "c"));
  EXPECT_THAT(victim_names(three, 3), IsEmpty());
}

TEST(VictimsOfAScaleDown, AreFewerWhereKubernetesTakesOthersByItself) {
  const Revision three = revision_with(
      {replica_in("a", ReplicaPhase::kReady, 1s), replica_in("b", ReplicaPhase::kReady, 2s),
       replica_in("c", ReplicaPhase::kStarting, 3s), replica_in("d", ReplicaPhase::kDraining, 0s)});
  EXPECT_THAT(victim_names(three, 2), IsEmpty()) << "c ends; d is ending already";
  EXPECT_THAT(victim_names(three, 1), ElementsAre("b"));
}

TEST(VictimsOfAScaleDown, AreNotMarkedWhereAllEnd) {
  const Revision two =
      revision_with({replica_in("a", ReplicaPhase::kReady), replica_in("b", ReplicaPhase::kReady)});
  EXPECT_THAT(victim_names(two, 0), IsEmpty());
}

/// To `desired` replicas; those that are occupied stay.
ScaleOrder keeping(PodCount desired, std::vector<PodName> keep) {
  return {.desired = desired, .drain_first = {}, .reason = {}, .keep = std::move(keep)};
}

TEST(VictimsOfAScaleDown, AreNeverOccupiedOnes) {
  const Revision three = revision_with({replica_in("a", ReplicaPhase::kReady, 1s),
                                        replica_in("b", ReplicaPhase::kReady, 2s),
                                        replica_in("c", ReplicaPhase::kReady, 3s)});
  const std::vector<PodName> names = victims(three, keeping(1, {PodName("c")}));
  EXPECT_EQ(names, (std::vector<PodName>{PodName("b"), PodName("a")}));
}

TEST(OccupiedPods, AreInDangerWhereKubernetesWouldChooseThem) {
  const Revision three = revision_with({replica_in("a", ReplicaPhase::kReady),
                                        replica_in("b", ReplicaPhase::kStarting),
                                        replica_in("c", ReplicaPhase::kReady)});
  EXPECT_EQ(endangers_kept(three, keeping(1, {}), false), "");
  EXPECT_EQ(endangers_kept(three, keeping(2, {PodName("a")}), true), "");
  EXPECT_EQ(endangers_kept(three, keeping(2, {PodName("a")}), false),
            "1 replica is occupied, and which pods end can be chosen from Kubernetes 1.22 on");
  EXPECT_EQ(endangers_kept(three, keeping(2, {PodName("b")}), true),
            "pod b is occupied and not ready: Kubernetes would end it before others");
  EXPECT_EQ(endangers_kept(three, keeping(1, {PodName("a"), PodName("c")}), true),
            "2 replicas are occupied, and only 1 would be left");
}

TEST(OccupiedPods, MakeALargeScaleDownGoInSteps) {
  std::vector<ReplicaPtr> many;
  for (int i = 0; i < 200; ++i) {
    many.push_back(replica_in("web-" + std::to_string(i), ReplicaPhase::kReady));
  }
  const Revision revision = revision_with(std::move(many));
  EXPECT_EQ(in_steps(revision, keeping(20, {}), 50), 20) << "nobody has to be chosen";
  EXPECT_EQ(in_steps(revision, keeping(20, {PodName("web-3")}), 50), 150);
  EXPECT_EQ(in_steps(revision, keeping(160, {PodName("web-3")}), 50), 160);
}

constexpr const char* kLabelled = "{'bellows.dev/autoscale':'true'}";

RevisionObjectPtr ours(const std::string& state = "Active", const std::string& uid = "uid-web") {
  return test::object<RevisionObject>(
      "{'metadata':{'namespace':'shop','name':'web','uid':'uid-r','labels':{'app.kubernetes.io/"
      "managed-by':'bellows'},'annotations':{'bellows.dev/replicas-before':'3'},"
      "'ownerReferences':[{'apiVersion':'apps/v1','kind':'Deployment','name':'web','uid':'" +
      uid + "'}]},'spec':{'state':'" + state + "','scaleTargetRef':{'name':'web'}}}");
}

TEST(AdoptionOfADeployment, ALabelledOneGetsARevisionThatGoesWithIt) {
  const auto action = adoption(deployment({.labels = kLabelled}).get(), {}, nullptr);
  ASSERT_TRUE(action);
  EXPECT_EQ(action->kind, Adoption::Kind::kCreate);
  const auto made = test::object<RevisionObject>(action->body);
  EXPECT_EQ(made->meta.name, "web");
  EXPECT_EQ(made->meta.ns, "shop");
  EXPECT_EQ(made->meta.owners[0].uid, "uid-web");
  EXPECT_TRUE(made->is_ours());
  EXPECT_EQ(target_key("shop", made->target), "apps/Deployment shop/web");
}

TEST(AdoptionOfADeployment, OneWithoutTheLabelOrWithARevisionIsLeftAlone) {
  EXPECT_FALSE(adoption(deployment().get(), {}, nullptr));
  EXPECT_FALSE(
      adoption(deployment({.labels = "{'bellows.dev/autoscale':'false'}"}).get(), {}, nullptr));
  const auto written = revision();
  EXPECT_FALSE(adoption(deployment({.labels = kLabelled}).get(), {written.get()}, written.get()));
  EXPECT_FALSE(adoption(nullptr, {}, nullptr));
}

TEST(AdoptionOfADeployment, OneWhoseNameBelongsToARevisionOfAnotherTargetIsRefusedWithItsName) {
  const auto other = revision("web", {}, "{}", "api");
  const auto refused = adoption(deployment({.labels = kLabelled}).get(), {}, other.get());
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kind, Adoption::Kind::kRefuse);
  EXPECT_EQ(refused->message,
            "it is labelled bellows.dev/autoscale, but the Revision web scales Deployment api; "
            "delete that Revision, or give it another name");
}

TEST(AdoptionOfADeployment, EndsWhenTheLabelIsTakenAway) {
  const auto made = ours();
  const auto action = adoption(deployment().get(), {made.get()}, made.get());
  ASSERT_TRUE(action);
  EXPECT_EQ(action->kind, Adoption::Kind::kRelease);
  EXPECT_EQ(action->uid, "uid-r");
  EXPECT_EQ(action->replicas, std::nullopt) << "it runs: its number stays as it is";
}

TEST(AdoptionOfADeployment, OneThatRestsAtZeroGetsItsNumberBack) {
  const auto made = ours();
  EXPECT_EQ(adoption(deployment({.replicas = 0}).get(), {made.get()}, made.get())->replicas, 3);
  const auto retired = ours("Retired");
  EXPECT_EQ(adoption(deployment({.replicas = 0}).get(), {retired.get()}, retired.get())->replicas,
            3);
}

TEST(AdoptionOfADeployment, ARevisionThatAUserWroteOrOfAnEarlierDeploymentStays) {
  const auto written = revision();
  EXPECT_FALSE(adoption(deployment().get(), {written.get()}, written.get()));
  const auto earlier = ours("Active", "uid-of-an-earlier-one");
  EXPECT_FALSE(adoption(deployment().get(), {earlier.get()}, earlier.get()));
}

StringMap labels_of(StringMap::Entries entries) {
  return StringMap(std::move(entries));
}

TEST(IndexOfSelectors, FindsThoseWhoseEveryPairIsThere) {
  LabelIndex index;
  index.put("shop", "web", labels_of({{"app", "web"}, {"part-of", "shop"}}));
  index.put("shop", "api", labels_of({{"app", "api"}, {"part-of", "shop"}}));
  index.put("shop", "all", labels_of({{"part-of", "shop"}}));
  index.put("other", "web", labels_of({{"app", "web"}}));
  const StringMap labels = labels_of({{"app", "web"}, {"part-of", "shop"}, {"x", "y"}});
  EXPECT_THAT(index.matching("shop", labels), ElementsAre("all", "web"));
  EXPECT_THAT(index.matching("other", labels), ElementsAre("web"));
  EXPECT_THAT(index.matching("nowhere", labels), IsEmpty());
}

TEST(IndexOfSelectors, FollowsChanges) {
  LabelIndex index;
  index.put("shop", "web", labels_of({{"app", "web"}}));
  index.put("shop", "web", labels_of({{"app", "new"}}));
  EXPECT_THAT(index.matching("shop", labels_of({{"app", "web"}})), IsEmpty());
  EXPECT_THAT(index.matching("shop", labels_of({{"app", "new"}})), ElementsAre("web"));
  index.erase("shop", "web");
  EXPECT_THAT(index.matching("shop", labels_of({{"app", "new"}})), IsEmpty());
}

TEST(IndexOfSelectors, AnEmptyOneTakesEverythingOfItsNamespace) {
  LabelIndex index;
  index.put("shop", "any", StringMap());
  EXPECT_THAT(index.matching("shop", StringMap()), ElementsAre("any"));
  EXPECT_THAT(index.matching("other", StringMap()), IsEmpty());
}

}  // namespace
}  // namespace bellows::cluster
