#include "kubernetes/core/list_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/kubernetes/list_watch_diary.hpp"

namespace bellows::kubernetes {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using ListWatchTest = ListWatchDiary;

TEST_F(ListWatchTest, ListsInPagesThenWatchesFromTheVersionOfTheList) {
  ListWatchOptions options;
  options.ns = "n";
  options.label_selector = "app=web";
  start(options);
  EXPECT_EQ(next(), "/api/v1/namespaces/n/things?labelSelector=app%3Dweb&limit=500");
  EXPECT_EQ(deadline_ - now_, 60s);
  answer(200, list("10", {"a@5"}, "more"));
  EXPECT_EQ(told().listed, std::nullopt);
  EXPECT_EQ(next(), "/api/v1/namespaces/n/things?labelSelector=app%3Dweb&limit=500&continue=more");
  answer(200, list("10", {"b@6"}));
  EXPECT_EQ(told().listed, now_);
  EXPECT_THAT(objects(), ElementsAre("a@5", "b@6"));
  const std::string watch = next();
  EXPECT_THAT(watch, HasSubstr("watch=1&allowWatchBookmarks=true&timeoutSeconds="));
  EXPECT_THAT(watch, HasSubstr("&resourceVersion=10"));
  EXPECT_THAT(watch, Not(HasSubstr("limit")));
  EXPECT_TRUE(is_watch_);
  EXPECT_EQ(waited_, 0s);
}

TEST_F(ListWatchTest, TheNextWatchBeginsAtTheLastEventOrBookmark) {
  listed();
  open();
  EXPECT_EQ(told().watching_since, now_);
  now_ += 10s;
  ASSERT_TRUE(send(event("MODIFIED", "a@11") + event("DELETED", "b@12") + event("ADDED", "c@13")));
  EXPECT_THAT(objects(), ElementsAre("a@11", "c@13"));
  EXPECT_EQ(told().resource_version, "13");
  ASSERT_TRUE(send(bookmark("40")));
  EXPECT_EQ(told().last_heard, now_);
  end_in_time();
  EXPECT_EQ(told().watching_since, std::nullopt);
  EXPECT_EQ(told().failing_since, std::nullopt) << "the server ends watches: that is no failure";
  EXPECT_THAT(next(), HasSubstr("&resourceVersion=40"));
  EXPECT_EQ(waited_, 0s);
  EXPECT_EQ(told().events, 3U);
}

TEST_F(ListWatchTest, WatchTimesAreDrawnAndOneThatOutlivesItsTimeHasADeadline) {
  listed();
  std::set<Duration> spans;
  for (int i = 0; i < 50; ++i) {
    const Duration span = deadline_ - now_ - 30s;
    EXPECT_GE(span, 240s);
    EXPECT_LE(span, 480s);
    spans.insert(span);
    open();
    end_in_time();
    next();
  }
  EXPECT_GE(spans.size(), 40U);
}

TEST_F(ListWatchTest, AWatchThatIsSilentBeyondItsDeadlineIsComparedAndResumed) {
  listed();
  open();
  now_ = deadline_;
  breaks(ErrorKind::kTimeout);
  EXPECT_EQ(told().failing_since, now_);
  EXPECT_EQ(next(), "/api/v1/things?limit=1");
  answer(200, list("10", {"a@5"}, "more"));
  EXPECT_THAT(next(), HasSubstr("&resourceVersion=10"));
  EXPECT_EQ(told().failing_since, std::nullopt);
  EXPECT_EQ(told().lists, 1U);
}

TEST_F(ListWatchTest, AWatchThatEndsEarlyIsComparedAndResumed) {
  listed();
  open();
  now_ += 60s;
  end();
  EXPECT_EQ(next(), "/api/v1/things?limit=1");
  EXPECT_EQ(waited_, 0s);
  EXPECT_EQ(told().failing_since, std::nullopt);
  answer(200, list("4", {}));
  EXPECT_EQ(next(), "/api/v1/things?limit=500") << "another server, with other data";
}

TEST_F(ListWatchTest, AVersionThatIsGoneIsListedAnewBesideTheOldList) {
  listed();
  open();
  const auto fed = send("{\"type\":\"ERROR\",\"object\":" + status(410, "Expired") + "}\n");
  ASSERT_FALSE(fed);
  list_watch_->failed(fed.error(), now_);
  EXPECT_EQ(next(), "/api/v1/things?limit=500");
  EXPECT_GT(waited_, 0s);
  EXPECT_LE(waited_, 1s) << "spread, so that not all clients list at once";
  EXPECT_THAT(objects(), ElementsAre("a@5", "b@6"));
  answer(200, list("99", {"c@50"}, "more"));
  EXPECT_THAT(objects(), ElementsAre("a@5", "b@6", "c@50")) << "the old list is in force";
  next();
  answer(200, list("99", {"b@6"}));
  EXPECT_THAT(objects(), ElementsAre("b@6", "c@50"));
  EXPECT_THAT(next(), HasSubstr("&resourceVersion=99"));
}

TEST_F(ListWatchTest, A410AsTheAnswerToAWatchIsTheSame) {
  listed();
  answer(410, status(410, "Expired"));
  EXPECT_EQ(next(), "/api/v1/things?limit=500");
}

TEST_F(ListWatchTest, AnExpiredPageRestartsTheList) {
  start();
  next();
  answer(200, list("10", {"a@5"}, "one"));
  next();
  answer(410, status(410, "Expired"));
  EXPECT_EQ(next(), "/api/v1/things?limit=500");
  answer(200, list("20", {"a@5"}, "two"));
  next();
  answer(410, status(410, "Expired"));
  EXPECT_EQ(next(), "/api/v1/things");
  answer(200, list("30", {"b@6"}));
  EXPECT_THAT(objects(), ElementsAre("b@6"));
}

TEST_F(ListWatchTest, APageThatBreaksIsAskedForAgain) {
  start();
  next();
  answer(200, list("10", {"a@5"}, "one"));
  next();
  open();
  ASSERT_TRUE(send(list("10", {"b@6", "c@7"}).substr(0, 150)));
  breaks();
  EXPECT_EQ(next(), "/api/v1/things?limit=500&continue=one");
  answer(200, list("10", {"b@6", "c@7"}));
  EXPECT_THAT(objects(), ElementsAre("a@5", "b@6", "c@7"));
}

TEST_F(ListWatchTest, ABadObjectIsReportedAndTheListGoesOn) {
  start();
  next();
  answer(200, list("10", {"a@5", "@6", "b@7"}));
  EXPECT_THAT(objects(), ElementsAre("a@5", "b@7"));
  EXPECT_THAT(rejected_, ElementsAre(HasSubstr("metadata.name")));
  next();
  open();
  ASSERT_TRUE(send(event("ADDED", "@11") + event("ADDED", "c@12")));
  EXPECT_EQ(told().rejected, 2U);
  EXPECT_THAT(objects(), ElementsAre("a@5", "b@7", "c@12"));
}

// The streamed list of newer servers.

TEST_F(ListWatchTest, AWatchListBeginsWithTheObjectsAndGoesOnAsAWatch) {
  start({.try_watch_list = true});
  const std::string target = next();
  EXPECT_THAT(target, HasSubstr("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
  EXPECT_THAT(target, Not(HasSubstr("resourceVersion=")));
  open();
  ASSERT_TRUE(send(event("ADDED", "b@6") + event("ADDED", "a@5")));
  EXPECT_FALSE(store_.listed());
  ASSERT_TRUE(send(bookmark("10", true)));
  EXPECT_TRUE(store_.listed());
  EXPECT_EQ(told().resource_version, "10");
  ASSERT_TRUE(send(event("DELETED", "a@11")));
  EXPECT_THAT(objects(), ElementsAre("b@6"));
  end_in_time();
  EXPECT_THAT(next(), HasSubstr("&resourceVersion=11"));
}

TEST_F(ListWatchTest, AServerWithoutWatchListIsListedInPagesAtOnce) {
  for (const int code : {400, 422}) {
    start({.try_watch_list = true});
    next();
    answer(code, status(code, "Invalid"));
    EXPECT_EQ(next(), "/api/v1/things?limit=500");
    EXPECT_EQ(waited_, 0s);
  }
}

TEST_F(ListWatchTest, ABrokenWatchListRestartsWithoutLoss) {
  start({.try_watch_list = true});
  next();
  open();
  ASSERT_TRUE(send(event("ADDED", "a@5")));
  breaks();
  EXPECT_THAT(next(), HasSubstr("sendInitialEvents"));
  open();
  ASSERT_TRUE(send(event("ADDED", "b@6") + bookmark("10", true)));
  EXPECT_THAT(objects(), ElementsAre("b@6"));
}

TEST_F(ListWatchTest, AWatchListWhoseObjectsNeverEndIsGivenUpForPages) {
  start({.try_watch_list = true});
  next();
  open();
  ASSERT_TRUE(send(event("ADDED", "a@5")));
  end_in_time();
  EXPECT_EQ(next(), "/api/v1/things?limit=500");
}

}  // namespace
}  // namespace bellows::kubernetes
