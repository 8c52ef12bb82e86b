#include "cluster/core/revision_list.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <string>

namespace bellows::cluster {
namespace {

using Put = RevisionList::Put;

RevisionPtr listed_revision(const std::string& id, PodCount requested = 0) {
  auto made = std::make_shared<Revision>();
  made->id = RevisionId(id);
  made->requested = requested;
  return made;
}

std::vector<std::string> ids(const RevisionList& list) {
  std::vector<std::string> ids;
  for (const RevisionPtr& listed : list) ids.push_back(listed->id.text());
  return ids;
}

TEST(RevisionList, FindsRevisionsAndIteratesThemById) {
  RevisionList list;
  EXPECT_TRUE(list.empty());
  for (const char* id : {"web", "api", "shop/web", "blog"}) list.put(listed_revision(id));
  EXPECT_EQ(ids(list), (std::vector<std::string>{"api", "blog", "shop/web", "web"}));
  EXPECT_EQ(list.size(), 4u);
  EXPECT_EQ(list.find(RevisionId("shop/web"))->id, RevisionId("shop/web"));
  EXPECT_EQ(list.find(RevisionId("shop")), nullptr);
}

RevisionPtr revision_of(const std::string& service, const std::string& id, std::int32_t share) {
  auto made = std::make_shared<Revision>();
  made->id = RevisionId(id);
  made->service = RevisionId(service);
  made->share = share;
  return made;
}

TEST(ANameOfAService, MeansItsRevisionWithMostRequestsOrAllThatHaveSome) {
  RevisionList list;
  list.put(listed_revision("shop/api"));
  list.put(revision_of("web", "web-00001", 0));
  list.put(revision_of("web", "web-00002", 30));
  list.put(revision_of("web", "web-00003", 70));
  const auto leads = [&list](const char* name) {
    const RevisionPtr found = leading(list, RevisionId(name));
    return found == nullptr ? "" : found->id.text();
  };
  EXPECT_EQ(leads("web"), "web-00003");
  EXPECT_EQ(leads("web-00002"), "web-00002");
  EXPECT_EQ(leads("shop/api"), "shop/api") << "it is alone";
  EXPECT_EQ(leads("none"), "");
  using Ids = std::vector<RevisionId>;
  EXPECT_EQ(with_requests(list, RevisionId("web")),
            (Ids{RevisionId("web-00002"), RevisionId("web-00003")}));
  EXPECT_EQ(with_requests(list, RevisionId("web-00002")), Ids{RevisionId("web-00002")});
  EXPECT_EQ(with_requests(list, RevisionId("none")), Ids{});
  EXPECT_EQ(service_of(list, RevisionId("web-00002")), RevisionId("web"));
  EXPECT_EQ(service_of(list, RevisionId("gone")), RevisionId("gone"));
}

TEST(RevisionList, KeepsAnEqualRevisionAndItsVersion) {
  RevisionList list;
  const RevisionPtr web = listed_revision("web");
  EXPECT_EQ(list.put(web), Put::kAdded);
  const std::uint64_t version = list.version();
  EXPECT_EQ(list.put(web), Put::kUnchanged);
  EXPECT_EQ(list.put(listed_revision("web")), Put::kUnchanged);
  EXPECT_EQ(list.find(RevisionId("web")), web) << "readers compare pointers";
  EXPECT_EQ(list.version(), version);
  EXPECT_EQ(list.put(listed_revision("web", 1)), Put::kChanged);
  EXPECT_GT(list.version(), version);
  EXPECT_EQ(list.find(RevisionId("web"))->requested, 1);
  EXPECT_EQ(list.size(), 1u);
}

TEST(RevisionList, ErasesOnceAndIncreasesItsVersion) {
  RevisionList list;
  list.put(listed_revision("web"));
  const std::uint64_t version = list.version();
  EXPECT_TRUE(list.erase(RevisionId("web")));
  EXPECT_GT(list.version(), version);
  EXPECT_FALSE(list.erase(RevisionId("web")));
  EXPECT_EQ(list.version(), version + 1);
  EXPECT_TRUE(list.empty());
}

TEST(RevisionListCopied, IsWhatWasListedThen) {
  RevisionList list;
  list.put(listed_revision("web"));
  const RevisionList before = list;
  list.put(listed_revision("web", 3));
  list.put(listed_revision("api"));
  EXPECT_EQ(ids(before), std::vector<std::string>{"web"});
  EXPECT_EQ(before.find(RevisionId("web"))->requested, 0);
}

TEST(PendingChanges, AreToldOnceSortedById) {
  PendingChanges pending;
  pending.added(RevisionId("web"));
  pending.added(RevisionId("api"));
  pending.changed(RevisionId("blog"));
  pending.removed(RevisionId("shop"));
  EXPECT_EQ(pending.take(), (Changes{.added = {RevisionId("api"), RevisionId("web")},
                                     .changed = {RevisionId("blog")},
                                     .removed = {RevisionId("shop")}}));
  EXPECT_TRUE(pending.take().empty());
}

/// A reader that applies the changes it is told has the list, whatever happened in between.
RC_GTEST_PROP(PendingChangesProperty, AreTheDifferenceOfTwoLooksAtTheList, ()) {
  RevisionList list;
  PendingChanges pending;
  std::map<RevisionId, PodCount> reader;
  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    const RevisionId id("r" + std::to_string(*rc::gen::inRange(0, 4)));
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        if (list.erase(id)) pending.removed(id);
        break;
      case 1: {
        const Changes changes = pending.take();
        for (const RevisionId& each : changes.added) {
          RC_ASSERT(!reader.contains(each));
          reader[each] = list.find(each)->requested;
        }
        for (const RevisionId& each : changes.changed) {
          RC_ASSERT(reader.contains(each));
          reader[each] = list.find(each)->requested;
        }
        for (const RevisionId& each : changes.removed) RC_ASSERT(reader.erase(each) == 1u);
        RC_ASSERT(reader.size() == list.size());
        for (const RevisionPtr& listed : list) {
          RC_ASSERT(reader.at(listed->id) == listed->requested);
        }
        break;
      }
      default: {
        const Put put = list.put(listed_revision(id.text(), *rc::gen::inRange(0, 3)));
        if (put == Put::kAdded) pending.added(id);
        if (put == Put::kChanged) pending.changed(id);
      }
    }
  }
}

}  // namespace
}  // namespace bellows::cluster
