// Several revisions of one service, each with its share of the requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "config/waiting_page.hpp"
#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

/// The service "web" with the revisions "web" and "web-00002", each with one replica.
class TwoRevisions : public testing::Test {
 protected:
  TwoRevisions() {
    cluster::Revision second = world_.web();
    second.id = RevisionId("web-00002");
    second.replicas.clear();
    world_.cluster.truth.push_back(second);
    second_ = std::make_unique<Replica>(world_.reactor, "web-00002-1");
    world_.cluster.truth[1].replicas = {
        std::make_shared<const cluster::Replica>(second_->listed())};
    for (cluster::Revision& revision : world_.cluster.truth) revision.service = RevisionId("web");
  }

  void share(std::int32_t first, std::int32_t second) {
    world_.cluster.truth[0].share = first;
    world_.cluster.truth[1].share = second;
    world_.cluster.publish();
  }
  std::string served_by() {
    Caller& caller = world_.get("/");
    world_.until_done(caller);
    return caller.body().substr(0, caller.body().find(' '));
  }
  /// How many of the next requests the second revision serves.
  int second_of(int requests) {
    int count = 0;
    for (int i = 0; i < requests; ++i) count += served_by() == "web-00002-1" ? 1 : 0;
    return count;
  }

  ActivatorWorld world_;
  Replica& first_ = world_.add_replica("web-1");
  std::unique_ptr<Replica> second_;
};

TEST_F(TwoRevisions, GetTheirSharesExactly) {
  share(80, 20);
  EXPECT_EQ(second_of(50), 10);
  share(50, 50);
  EXPECT_EQ(second_of(50), 25);
}

TEST_F(TwoRevisions, OneWithoutAShareGetsNothing) {
  share(100, 0);
  EXPECT_EQ(second_of(20), 0);
  share(0, 100);
  EXPECT_EQ(second_of(20), 20);
  share(100, 0);
  EXPECT_EQ(second_of(20), 0);
}

TEST_F(TwoRevisions, ARequestThatRunsAtTheOldOneIsServedAndKnown) {
  share(100, 0);
  first_.hold();
  Caller& running = world_.get("/long");
  world_.until([&] { return first_.running == 1; });
  share(0, 100);
  EXPECT_EQ(second_of(5), 5);
  EXPECT_TRUE(world_.service->has_requests(RevisionId("web")));
  first_.release();
  world_.until_done(running);
  EXPECT_EQ(running.body(), "web-1 /long");
  world_.until([&] { return !world_.service->has_requests(RevisionId("web")); });
}

TEST_F(TwoRevisions, TheOneThatIsLeftGetsEverythingWhenTheOtherIsRemoved) {
  share(50, 50);
  EXPECT_EQ(second_of(4), 2);
  world_.cluster.truth[1].share = 100;
  world_.cluster.truth.erase(world_.cluster.truth.begin());
  world_.cluster.publish();
  EXPECT_EQ(second_of(6), 6);
}

class RoutedRevisions : public TwoRevisions {
 protected:
  std::string at(const std::string& lines) {
    Caller& caller = world_.get("/", lines);
    world_.until_done(caller);
    return caller.status() == 200 ? caller.body().substr(0, caller.body().find(' '))
                                  : std::to_string(caller.status());
  }
};

TEST_F(RoutedRevisions, ShareTheRequestsOfAllRulesAndATagLeadsToOneOfThem) {
  for (cluster::Revision& revision : world_.cluster.truth) {
    revision.route = config::route_of({{.host = "web.example", .path_prefix = ""},
                                       {.host = "*.pages.example", .path_prefix = ""}});
  }
  world_.cluster.truth[1].route.tags = {"canary"};
  share(100, 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(at("Host: a.pages.example\r\n"), "web-1");
    EXPECT_EQ(at("Host: canary.web.example\r\n"), "web-00002-1");
  }
  EXPECT_EQ(at("Host: canary.pages.example\r\n"), "web-1") << "the wildcard has no tag";
  share(50, 50);
  EXPECT_NE(at("Host: a.pages.example\r\n"), at("Host: web.example\r\n")) << "one choice";
  EXPECT_EQ(at("Host: canary.web.example\r\n"), "web-00002-1");
  world_.cluster.truth[1].route.tags.clear();
  share(100, 0);
  EXPECT_EQ(at("Host: canary.web.example\r\n"), "404");
}

TEST_F(RoutedRevisions, SplitByClientKeepTheClientsThatTheyHave) {
  for (cluster::Revision& revision : world_.cluster.truth) {
    revision.settings.callers.split_by = config::SplitBy::kClient;
  }
  share(50, 50);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(at("Host: web.example\r\nCookie: bellows-web=web-00002\r\n"), "web-00002-1");
  }
  EXPECT_EQ(second_of(10), 5) << "new ones are shared out";
  share(100, 0);
  Caller& moved = world_.get("/", "Host: web.example\r\nCookie: bellows-web=web-00002\r\n");
  world_.until_done(moved);
  EXPECT_THAT(moved.answer(), testing::HasSubstr("Set-Cookie: bellows-web=web; Path=/"));
  EXPECT_THAT(moved.answer(), testing::Not(testing::HasSubstr("Secure")));
  Caller& by_https = world_.get("/", "Host: web.example\r\nX-Forwarded-Proto: https\r\n");
  world_.until_done(by_https);
  EXPECT_THAT(by_https.answer(), testing::HasSubstr("; SameSite=Lax; Secure\r\n"));
}

TEST_F(RoutedRevisions, AreNotJudgedByWhatCallersGetWhileTheyWake) {
  cluster::Revision& web = world_.cluster.truth[0];
  web.replicas.clear();
  web.settings.callers.waiting_page = config::kBuiltInPage;
  web.settings.callers.fallback_after = Duration::zero();
  share(100, 0);
  const auto status = [&] {
    Caller& browser = world_.get("/", "Host: web.example\r\nAccept: text/html\r\n");
    world_.until_done_in_time(browser);
    return browser.status();
  };
  EXPECT_EQ(status(), 503);
  const auto served = [&] {
    return world_.service->served(RevisionId("web"), Duration::max()).value();
  };
  EXPECT_EQ(served().requests(), 0);
  web.requested = 1;
  web.failure_message = "replica web-1 crashed 5 times";
  share(100, 0);
  EXPECT_EQ(status(), 503);
  world_.until([&] { return served().requests() == 1; });
  EXPECT_EQ(served().errors(), 1) << "it cannot start";
}

TEST_F(RoutedRevisions, TellThatTheirWaitingPageIsMissing) {
  const auto is_told = [&](const std::string& value) {
    world_.service->refresh_gauges();
    const std::string series = "bellows_activator_missing_pages{revision=\"web\",service=\"web\"} ";
    return world_.registry.expose().find(series + value + "\n") != std::string::npos;
  };
  world_.cluster.truth[0].settings.callers.waiting_page = "/missing/page.html";
  share(100, 0);
  world_.until([&] { return is_told("1"); });
  world_.cluster.truth[0].settings.callers.waiting_page = config::kBuiltInPage;
  share(100, 0);
  world_.until([&] { return is_told("0"); });
}

TEST_F(RoutedRevisions, BecomeStickyWhileTheyServe) {
  share(50, 50);
  EXPECT_EQ(second_of(10), 5);
  for (cluster::Revision& revision : world_.cluster.truth) {
    revision.settings.callers.split_by = config::SplitBy::kClient;
  }
  world_.cluster.publish();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(at("Host: web.example\r\nCookie: bellows-web=web\r\n"), "web-1");
  }
}

}  // namespace
}  // namespace bellows::activator
