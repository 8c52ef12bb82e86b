#include "cli/uninstall/leftovers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bellows::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string list_of(const std::string& items) {
  return R"({"kind":"List","metadata":{"resourceVersion":"7"},"items":[)" + items + "]}";
}

/// `more`: further members of spec with a comma before each. `before`: an annotation, or empty.
std::string revision(const std::string& name, const std::string& before, const std::string& more) {
  const std::string annotations =
      before.empty() ? "{}" : R"({"bellows.dev/replicas-before":")" + before + R"("})";
  return R"({"metadata":{"namespace":"shop","name":")" + name + R"(","annotations":)" +
         annotations +
         R"(},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" +
         name + R"("})" + more + "}}";
}

std::string slice(const std::string& service, const std::string& manager, bool is_ready,
                  const std::string& annotations = "{}") {
  return R"({"metadata":{"namespace":"shop","name":")" + service + "-" + manager +
         R"(","labels":{"kubernetes.io/service-name":")" + service +
         R"(","endpointslice.kubernetes.io/managed-by":")" + manager + R"("},"annotations":)" +
         annotations +
         R"(},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":)" +
         (is_ready ? "true" : "false") + "}}]}";
}

constexpr const char* kOfApi =
    R"({"bellows.dev/revision":"api","bellows.dev/target":"apps/v1 StatefulSet api",)"
    R"("bellows.dev/replicas-before":"3"})";

std::vector<std::string> texts_of(const std::vector<ReleasedTarget>& targets) {
  std::vector<std::string> texts;
  for (const ReleasedTarget& each : targets) {
    texts.push_back(to_string(each) + " " + std::to_string(each.replicas));
  }
  return texts;
}

TEST(Leftovers, EachTargetGetsItsNumberFromBeforeAndAtLeastOne) {
  const auto revisions = read_revision_list(list_of(
      revision("web", "4", "") + "," + revision("mail", "0", "") + "," + revision("cart", "", "")));
  ASSERT_TRUE(revisions) << to_string(revisions.error());
  EXPECT_THAT(
      texts_of(released_targets(*revisions, {})),
      ElementsAre("Deployment shop/web 4", "Deployment shop/mail 1", "Deployment shop/cart 1"));
}

TEST(Leftovers, ATargetThatHadNoReplicaBeforeIsKnown) {
  const auto revisions =
      read_revision_list(list_of(revision("web", "4", "") + "," + revision("mail", "0", "")));
  ASSERT_TRUE(revisions);
  const auto targets = released_targets(*revisions, {});
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_TRUE(targets[0].has_number);
  EXPECT_FALSE(targets[1].has_number);
}

/// `state`: the waiting state of its container, or empty for one that runs.
std::string pod(const std::string& name, const std::string& state, bool is_ready) {
  return R"({"metadata":{"namespace":"shop","name":")" + name +
         R"("},"spec":{"nodeName":"n"},"status":{"phase":"Pending","conditions":[)" +
         R"({"type":"Ready","status":")" + (is_ready ? "True" : "False") +
         R"("}],"containerStatuses":[{"name":"app","state":)" +
         (state.empty() ? R"({"running":{"startedAt":"2026-11-29T10:00:00Z"}})"
                        : R"({"waiting":{"reason":")" + state + R"(","message":"no such tag"}})") +
         "}]}}";
}

TEST(Leftovers, APodThatCannotStartIsNamedWithItsReason) {
  const auto delay = [](const std::string& items) {
    const auto pods = read_pod_list(list_of(items));
    EXPECT_TRUE(pods);
    return pods ? delay_of(*pods, {}) : "";
  };
  EXPECT_EQ(delay(pod("web-1", "ContainerCreating", false) + "," +
                  pod("web-2", "ImagePullBackOff", false)),
            "pod web-2: container app: ImagePullBackOff: no such tag");
  EXPECT_EQ(delay(pod("web-1", "ContainerCreating", false)), "pod web-1 is starting");
  EXPECT_EQ(delay(""), "no pod has the labels of its selector");
}

TEST(Leftovers, ServicesThatNothingElseServesAreNamedWithWhatToDo) {
  EXPECT_FALSE(unserved_without_us({}));
  const auto error = unserved_without_us({"shop/web", "shop/api"});
  ASSERT_TRUE(error);
  EXPECT_THAT(to_string(*error),
              testing::StartsWith("Service shop/web, shop/api: has no selector"));
  EXPECT_THAT(to_string(*error), testing::HasSubstr("kubectl -n shop edit service web"));
}

TEST(Leftovers, ObjectsOfOthersInTheNamespaceAreNamed) {
  const auto names = foreign_names(list_of(
      R"({"metadata":{"name":"kube-root-ca.crt"}},{"metadata":{"name":"theirs"}},)"
      R"({"metadata":{"name":"ours","labels":{"app.kubernetes.io/part-of":"bellows"}}},)"
      R"({"metadata":{"name":"token","annotations":{"kubernetes.io/service-account.name":"x"}}},)"
      R"({"metadata":{"name":"made","ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x","uid":"u"}]}},)"
      R"({"metadata":{"name":"more"}})"));
  ASSERT_TRUE(names) << to_string(names.error());
  EXPECT_EQ(*names, "theirs, more");
}

TEST(Leftovers, ARetiredRevisionStaysAtZero) {
  const auto revisions = read_revision_list(list_of(revision("old", "4", R"(,"state":"Retired")")));
  ASSERT_TRUE(revisions) << to_string(revisions.error());
  EXPECT_THAT(released_targets(*revisions, {}), IsEmpty());
}

TEST(Leftovers, ARetiredRevisionStaysAtZeroAlthoughASliceNamesItsTarget) {
  const std::string of_old =
      R"({"bellows.dev/revision":"old","bellows.dev/target":"apps/v1 Deployment old"})";
  const auto revisions = read_revision_list(list_of(revision("old", "4", R"(,"state":"Retired")")));
  const auto slices = read_slice_list(list_of(slice("old", "bellows.dev", true, of_old)));
  ASSERT_TRUE(revisions && slices);
  EXPECT_THAT(released_targets(*revisions, *slices), IsEmpty());
}

TEST(Leftovers, ASliceTellsTheTargetOfARevisionThatIsDeletedAlready) {
  const auto revisions = read_revision_list(list_of(revision("web", "4", "")));
  const auto slices = read_slice_list(list_of(slice("api", "bellows.dev", true, kOfApi)));
  ASSERT_TRUE(revisions && slices);
  EXPECT_THAT(texts_of(released_targets(*revisions, *slices)),
              ElementsAre("Deployment shop/web 4", "StatefulSet shop/api 3"));
}

TEST(Leftovers, AServiceIsServedByReadyEndpointsThatAreNotOurs) {
  const auto is_served_by = [](const std::string& items) {
    const auto slices = read_slice_list(list_of(items));
    EXPECT_TRUE(slices);
    return slices && is_served(*slices);
  };
  const std::string ours = slice("web", "bellows.dev", true);
  EXPECT_FALSE(is_served_by(ours));
  EXPECT_FALSE(is_served_by(ours + "," + slice("web", "endpointslice-controller.k8s.io", false)));
  EXPECT_TRUE(is_served_by(ours + "," + slice("web", "endpointslice-controller.k8s.io", true)));
}

TEST(Leftovers, AListWithAnObjectThatCannotBeReadIsAnError) {
  EXPECT_FALSE(read_revision_list(list_of(R"({"metadata":{"name":"web"},"spec":7})")));
  EXPECT_FALSE(read_slice_list("{}"));
}

}  // namespace
}  // namespace bellows::cli
