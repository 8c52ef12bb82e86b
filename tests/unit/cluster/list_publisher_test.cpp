#include "cluster/list_publisher.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bellows::cluster {
namespace {

RevisionPtr revision(const std::string& id, PodCount requested = 0) {
  auto made = std::make_shared<Revision>();
  made->id = RevisionId(id);
  made->requested = requested;
  return made;
}

class PublishedList : public testing::Test {
 protected:
  /// What the subscriber is told by now; the number of calls in `calls_`.
  Changes told() {
    told_ = {};
    calls_ = 0;
    io_.restart();
    io_.poll();
    return told_;
  }

  http::net::io_context io_;
  ListPublisher publisher_{io_};
  Changes told_;
  int calls_ = 0;
  std::unique_ptr<Subscription> subscription_ =
      publisher_.subscribe([this](const Changes& changes) {
        told_ = changes;
        ++calls_;
      });
};

TEST_F(PublishedList, TellsWhatCameChangedAndWent) {
  publisher_.put(revision("web"));
  publisher_.put(revision("api"));
  EXPECT_EQ(told(), (Changes{{RevisionId("api"), RevisionId("web")}, {}, {}}));
  EXPECT_EQ(calls_, 1);
  publisher_.put(revision("web", 2));
  EXPECT_EQ(told(), (Changes{{}, {RevisionId("web")}, {}}));
  publisher_.erase(RevisionId("api"));
  EXPECT_EQ(told(), (Changes{{}, {}, {RevisionId("api")}}));
}

TEST_F(PublishedList, TellsNothingIfNothingChanged) {
  publisher_.put(revision("web"));
  told();
  publisher_.put(revision("web"));
  publisher_.erase(RevisionId("ghost"));
  publisher_.replace_all({revision("web")});
  told();
  EXPECT_EQ(calls_, 0);
  publisher_.announce();
  EXPECT_TRUE(told().empty());
  EXPECT_EQ(calls_, 1) << "a cluster that became ready";
}

TEST_F(PublishedList, IsReplacedAsAWhole) {
  publisher_.replace_all({revision("web"), revision("api")});
  const RevisionPtr api = publisher_.list().find(RevisionId("api"));
  told();
  publisher_.replace_all({revision("shop"), revision("web", 1), revision("api")});
  EXPECT_EQ(told(), (Changes{{RevisionId("shop")}, {RevisionId("web")}, {}}));
  EXPECT_EQ(publisher_.list().find(RevisionId("api")), api);
  publisher_.replace_all({});
  EXPECT_EQ(told(), (Changes{{}, {}, {RevisionId("api"), RevisionId("shop"), RevisionId("web")}}));
  EXPECT_TRUE(publisher_.list().empty());
}

}  // namespace
}  // namespace bellows::cluster
