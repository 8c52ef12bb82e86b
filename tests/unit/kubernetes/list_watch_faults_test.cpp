// What a ListWatch does when the server, or the way to it, does not do its part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kubernetes/list_watch_diary.hpp"

namespace bellows::kubernetes {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

using ListWatchFaultsTest = ListWatchDiary;

TEST_F(ListWatchFaultsTest, AnAbsentServerIsRetriedWithBackoff) {
  listed();
  open();
  now_ += 10s;
  breaks();
  const TimePoint since = now_;
  for (const Duration bound : {250ms, 500ms, 1000ms, 2000ms, 4000ms, 4000ms}) {
    EXPECT_EQ(next(), "/api/v1/things?limit=1");
    EXPECT_GE(waited_, bound / 2);
    EXPECT_LE(waited_, bound);
    breaks(ErrorKind::kRefused);
    EXPECT_EQ(told().failing_since, since);
  }
  EXPECT_EQ(told().failure, "server: gone");
  EXPECT_THAT(objects(), ElementsAre("a@5", "b@6"));
  next();
  answer(200, list("20", {"a@5"}, "more"));
  EXPECT_THAT(next(), HasSubstr("&resourceVersion=10"));
  EXPECT_EQ(told().failing_since, std::nullopt);
}

struct Refusal {
  int code;
  const char* reason;
  std::optional<Duration> retry_after;
  Duration at_least;
  Duration at_most;
};

TEST_F(ListWatchFaultsTest, EachRefusalHasItsWait) {
  const Refusal refusals[] = {
      {401, "Unauthorized", {}, 125ms, 250ms},
      {403, "Forbidden", {}, 30s, 45s},
      {404, "NotFound", {}, 30s, 45s},
      {429, "TooManyRequests", 7s, 7s, 9s},
      {429, "TooManyRequests", {}, 125ms, 250ms},
      {500, "InternalError", {}, 125ms, 250ms},
      {503, "ServiceUnavailable", 2s, 2s, 2500ms},
  };
  for (const Refusal& one : refusals) {
    start();
    next();
    answer(one.code, status(one.code, one.reason), one.retry_after);
    EXPECT_THAT(told().failure,
                HasSubstr("list things: HTTP " + std::to_string(one.code) + " " + one.reason));
    EXPECT_EQ(next(), "/api/v1/things?limit=500");
    EXPECT_GE(waited_, one.at_least) << one.code;
    EXPECT_LE(waited_, one.at_most) << one.code;
  }
}

TEST_F(ListWatchFaultsTest, AKindThatIsInstalledLaterIsListedThen) {
  start();
  next();
  answer(404, "404 page not found\n");
  EXPECT_THAT(told().failure, HasSubstr("404 page not found"));
  next();
  answer(200, list("3", {"a@1"}));
  EXPECT_THAT(objects(), ElementsAre("a@1"));
}

TEST_F(ListWatchFaultsTest, AnErrorEventThatIsNo410WaitsAndWatchesOn) {
  listed();
  open();
  const auto fed = send("{\"type\":\"ERROR\",\"object\":" + status(500, "InternalError") + "}\n");
  ASSERT_FALSE(fed);
  EXPECT_EQ(to_string(fed.error()), "watch things: HTTP 500 InternalError: InternalError");
  list_watch_->failed(fed.error(), now_);
  EXPECT_THAT(next(), HasSubstr("&resourceVersion=10"));
  EXPECT_GE(waited_, 125ms);
}

TEST_F(ListWatchFaultsTest, GarbageBreaksTheAnswerAndNothingElse) {
  listed();
  open();
  ASSERT_TRUE(send(event("ADDED", "c@11")));
  const auto fed = send("<html>");
  ASSERT_FALSE(fed);
  list_watch_->failed(fed.error(), now_);
  EXPECT_THAT(objects(), ElementsAre("a@5", "b@6", "c@11"));
  EXPECT_EQ(next(), "/api/v1/things?limit=1");
  const auto page = list("11", {"a@5"});
  open();
  ASSERT_FALSE(send("nothing"));
  list_watch_->failed(Error(ErrorKind::kMalformed, "JSON", "x"), now_);
  EXPECT_EQ(next(), "/api/v1/things?limit=1");
}

TEST_F(ListWatchFaultsTest, AnAnswerThatIsCutAtAnyByteLosesNoObject) {
  const std::string page = list("10", {"a@5", "b@6"});
  for (std::size_t size = 0; size < page.size(); ++size) {
    start();
    next();
    answer(200, page.substr(0, size));
    EXPECT_EQ(told().listed, std::nullopt) << size;
    EXPECT_EQ(next(), "/api/v1/things?limit=500") << size;
    answer(200, page);
    EXPECT_THAT(objects(), ElementsAre("a@5", "b@6")) << size;
  }
}

TEST_F(ListWatchFaultsTest, AWatchThatIsCutAtAnyByteGoesOnAfterTheLastWholeEvent) {
  const std::string events = event("MODIFIED", "a@11") + event("DELETED", "b@12");
  for (std::size_t size = 1; size < events.size(); ++size) {
    store_.list_begins();
    store_.list_complete();
    listed();
    open();
    now_ += 10s;
    ASSERT_TRUE(send(events.substr(0, size)));
    end();
    const bool has_first = told().resource_version != "10";
    EXPECT_EQ(told().failing_since.has_value(), events[size - 1] != '\n' && events[size] != '\n')
        << size;
    std::string target = next();
    if (target == "/api/v1/things?limit=1") {
      answer(200, list("10", {}));
      if (has_first) {  // an older version: the data is another one
        EXPECT_EQ(next(), "/api/v1/things?limit=500");
        continue;
      }
      target = next();
    }
    EXPECT_THAT(target, HasSubstr("&resourceVersion=" + told().resource_version));
  }
}

TEST_F(ListWatchFaultsTest, AWatchThatEndsAtOnceWithoutAnEventIsAFailure) {
  listed();
  for (const Duration bound : {250ms, 500ms, 1000ms}) {
    open();
    end();
    EXPECT_EQ(next(), "/api/v1/things?limit=1");
    EXPECT_GE(waited_, bound / 2);
    answer(200, list("10", {}));
    EXPECT_THAT(next(), HasSubstr("&resourceVersion=10"));
  }
}

// A server whose data was replaced, as after a restore of etcd or another cluster at the address.

TEST_F(ListWatchFaultsTest, AServerThatSaysThatOurVersionIsTooLargeIsListedAnew) {
  listed();
  answer(504, json_of("{'kind':'Status','reason':'Timeout','message':'Timeout: Too large resource "
                      "version: 10, current: 3','code':504}"));
  EXPECT_EQ(next(), "/api/v1/things?limit=500");
}

TEST_F(ListWatchFaultsTest, ASmallerVersionAfterABrokenWatchMeansOtherData) {
  listed();
  open();
  breaks();
  next();
  answer(200, list("4", {}));
  EXPECT_EQ(next(), "/api/v1/things?limit=500");
  answer(200, list("4", {"x@2"}));
  EXPECT_THAT(objects(), ElementsAre("x@2"));
}

TEST_F(ListWatchFaultsTest, AnOldObjectThatOurListLacksMeansOtherData) {
  listed();
  open();
  breaks();
  next();
  answer(200, list("5000", {"stranger@7"}, "more"));
  EXPECT_EQ(next(), "/api/v1/things?limit=500");
}

TEST_F(ListWatchFaultsTest, ANewObjectAfterABrokenWatchIsNoReasonToList) {
  listed();
  open();
  breaks();
  next();
  answer(200, list("5000", {"a@4999"}, "more"));
  EXPECT_THAT(next(), HasSubstr("&resourceVersion=10"));
}

TEST_F(ListWatchFaultsTest, AServerThatExpiresEveryVersionIsAskedMoreAndMoreRarely) {
  listed();
  Duration longest{};
  for (int i = 0; i < 10; ++i) {
    answer(410, status(410, "Expired"));
    next();
    longest = std::max(longest, waited_);
  }
  EXPECT_GE(longest, 2s);
  EXPECT_LE(longest, 4s);
}

TEST_F(ListWatchFaultsTest, AListWithoutAVersionIsNone) {
  start();
  next();
  answer(200, json_of("{'metadata':{},'items':[]}"));
  EXPECT_THAT(told().failure, HasSubstr("metadata.resourceVersion: missing"));
  EXPECT_EQ(told().listed, std::nullopt);
}

TEST_F(ListWatchFaultsTest, ClientsThatBrokeTogetherComeBackApart) {
  listed();
  open();
  breaks();
  next();
  const Duration one = waited_;
  random_ = SeededRandom(8);
  store_.list_begins();
  store_.list_complete();
  listed();
  open();
  breaks();
  next();
  EXPECT_NE(one, waited_);
}

}  // namespace
}  // namespace bellows::kubernetes
