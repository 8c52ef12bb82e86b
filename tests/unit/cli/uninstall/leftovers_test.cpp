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

TEST(Leftovers, ARetiredRevisionStaysAtZero) {
  const auto revisions = read_revision_list(list_of(revision("old", "4", R"(,"state":"Retired")")));
  ASSERT_TRUE(revisions) << to_string(revisions.error());
  EXPECT_THAT(released_targets(*revisions, {}), IsEmpty());
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

TEST(Leftovers, KeysOfObjectsWithAndWithoutNamespace) {
  const auto keys = read_object_keys(
      list_of(R"({"metadata":{"name":"a"}},{"metadata":{"name":"b","namespace":"shop"}})"));
  ASSERT_TRUE(keys);
  EXPECT_THAT(*keys, ElementsAre("a", "shop/b"));
}

}  // namespace
}  // namespace bellows::cli
