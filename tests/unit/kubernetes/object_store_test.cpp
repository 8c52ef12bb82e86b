#include "kubernetes/core/object_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/pod.hpp"
#include "tests/support/sample_objects.hpp"
#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A store and what its callback was told: "+NAME", "-NAME", "NAME" for a change.
class ObjectStoreTest : public testing::Test {
 protected:
  Result<void> put(const std::string& ns, const std::string& name, int version,
                   const std::string& status = "{}") {
    const std::string text =
        json_of("{'metadata':{'namespace':'" + ns + "','name':'" + name + "','uid':'u-" + name +
                "','resourceVersion':'" + std::to_string(version) + "'},'status':" + status + "}");
    return store_.put(**parse_document(text));
  }

  std::vector<std::string> names() {
    std::vector<std::string> all;
    store_.each([&all](const auto& pod) { all.push_back(object_key(pod->meta)); });
    return all;
  }

  std::vector<std::string> told() { return std::exchange(told_, {}); }

  std::vector<std::string> told_;
  ObjectStore<Pod> store_{[this](const auto& before, const auto& after) {
    if (before == nullptr) return told_.push_back("+" + after->meta.name);
    if (after == nullptr) return told_.push_back("-" + before->meta.name);
    told_.push_back(before->meta.resource_version + ">" + after->meta.resource_version);
  }};
};

TEST_F(ObjectStoreTest, ChangesAreToldOnceAndNotForTheSameVersion) {
  ASSERT_TRUE(put("shop", "a", 1));
  ASSERT_TRUE(put("shop", "a", 1));
  EXPECT_THAT(told(), ElementsAre("+a"));
  ASSERT_TRUE(put("shop", "a", 2));
  EXPECT_THAT(told(), ElementsAre("1>2"));
  store_.remove("shop", "a");
  store_.remove("shop", "a");
  EXPECT_THAT(told(), ElementsAre("-a"));
  EXPECT_EQ(store_.size(), 0U);
}

TEST_F(ObjectStoreTest, ARelistKeepsTheOldListUntilItIsComplete) {
  store_.list_begins();
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(put("shop", name, 1));
  EXPECT_FALSE(store_.listed());
  store_.list_complete();
  EXPECT_TRUE(store_.listed());
  told();
  store_.list_begins();
  ASSERT_TRUE(put("shop", "b", 1));
  EXPECT_THAT(names(), ElementsAre("shop/a", "shop/b", "shop/c"));
  store_.list_begins();  // the list was given up and starts anew
  ASSERT_TRUE(put("shop", "c", 4));
  store_.list_complete();
  EXPECT_THAT(names(), ElementsAre("shop/c"));
  EXPECT_THAT(told(), ElementsAre("1>4", "-a", "-b"));
}

TEST_F(ObjectStoreTest, AnObjectThatCannotBeReadAnyMoreKeepsItsLastGoodVersion) {
  ASSERT_TRUE(put("shop", "a", 1));
  store_.list_begins();
  EXPECT_FALSE(put("shop", "a", 2, "'broken'"));
  EXPECT_FALSE(put("shop", "b", 2, "'broken'"));
  store_.list_complete();
  ASSERT_NE(store_.find("shop/a"), nullptr);
  EXPECT_EQ(store_.find("shop/a")->meta.resource_version, "1");
  EXPECT_EQ(store_.find("shop/b"), nullptr);
}

TEST_F(ObjectStoreTest, ObjectsComeInOrderOfTheirNames) {
  for (const char* name : {"b", "a"}) ASSERT_TRUE(put("shop", name, 1));
  ASSERT_TRUE(put("shop-2", "x", 1));
  ASSERT_TRUE(put("another", "y", 1));
  EXPECT_THAT(names(), ElementsAre("another/y", "shop/a", "shop/b", "shop-2/x"));
}

TEST_F(ObjectStoreTest, HoldsExactlyTheVersionThatItHas) {
  ASSERT_TRUE(put("shop", "a", 5));
  EXPECT_TRUE(store_.holds("shop", "a", "u-a", "5"));
  EXPECT_FALSE(store_.holds("shop", "a", "u-a", "4"));
  EXPECT_FALSE(store_.holds("shop", "a", "another", "5"));
  EXPECT_FALSE(store_.holds("shop", "b", "u-b", "5"));
}

TEST_F(ObjectStoreTest, PodsOfOneReplicaSetShareLabelsOwnersAndContainers) {
  test::SamplePod sample;
  ASSERT_TRUE(store_.put(**parse_document(test::pod_json(sample))));
  sample.name += "2";
  ASSERT_TRUE(store_.put(**parse_document(test::pod_json(sample))));
  const auto a = store_.find("shop", "checkout-service-6d5f9c7b54-x2x9z");
  const auto b = store_.find("shop", "checkout-service-6d5f9c7b54-x2x9z2");
  EXPECT_EQ(&*a->meta.labels.begin(), &*b->meta.labels.begin());
  EXPECT_EQ(a->meta.owners.data(), b->meta.owners.data());
  EXPECT_EQ(a->containers.data(), b->containers.data());
}

TEST(SharePool, ForgetsWhatNobodyHolds) {
  SharePool<StringMap> pool;
  const StringMap kept = pool.share(StringMap(StringMap::Entries{{"app", "web"}}));
  for (int i = 0; i < 1000; ++i)
    pool.share(StringMap(StringMap::Entries{{"n", std::to_string(i)}}));
  EXPECT_LE(pool.size(), 65U);
  EXPECT_EQ(&*pool.share(StringMap(StringMap::Entries{{"app", "web"}})).begin(), &*kept.begin());
}

TEST(StringMap, LooksUpByKeyAndTheLastOfEqualKeysCounts) {
  const StringMap map({{"b", "1"}, {"a", "2"}, {"b", "3"}});
  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(map.get("b"), "3");
  EXPECT_EQ(map.get("c"), "");
  EXPECT_EQ(map.find("c"), nullptr);
  EXPECT_EQ(map, StringMap({{"a", "2"}, {"b", "3"}}));
  EXPECT_FALSE(map == StringMap());
}

}  // namespace
}  // namespace bellows::kubernetes
