#include "cli/status/status_items.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Kind = CheckItem::Result;

ServiceStatus web_status() {
  ServiceStatus service;
  service.name = "web";
  service.state = "Active";
  service.desired = 2;
  service.ready = 2;
  return service;
}

ReplicaStatus replica(std::string name, std::string phase, std::string trouble) {
  ReplicaStatus replica;
  replica.name = std::move(name);
  replica.phase = std::move(phase);
  replica.trouble = std::move(trouble);
  return replica;
}

CheckItem item_of(const ServiceStatus& service) {
  Status status;
  status.services.push_back(service);
  return status_items(status).at(0);
}

TEST(StatusItemsTest, AServiceWithItsReplicasIsOk) {
  EXPECT_EQ(item_of(web_status()), passed("service web", "2 of 2 replicas are ready"));
  ServiceStatus idle = web_status();
  idle.desired = idle.ready = 0;
  EXPECT_EQ(item_of(idle), passed("service web", "no replicas, none is needed"));
}

TEST(StatusItemsTest, ATroubleFailsWithWhatToDo) {
  ServiceStatus service = web_status();
  service.trouble = "web-1: the app exited with code 3, last line: no database";
  EXPECT_EQ(item_of(service),
            failed("service web", service.trouble, "`bellows logs web` shows its output"));
}

TEST(StatusItemsTest, TheTroubleOfAReplicaThatStartsIsTold) {
  ServiceStatus service = web_status();
  service.replicas.push_back(replica(
      "web-3", "failed", "web-3: not ready after 1m: app 127.0.0.1:9: answered 500 to GET /"));
  const CheckItem item = item_of(service);
  EXPECT_EQ(item.result, Kind::kFailed);
  EXPECT_THAT(item.hint, HasSubstr("200 to 399"));
}

TEST(StatusItemsTest, AServiceWithoutAReadyReplicaTellsWhyItStartsOrWouldNot) {
  const std::string elsewhere =
      "web-2: not ready yet: nothing listens on 127.0.0.1:1 (it listens on 0.0.0.0:8000)";
  const std::string crash = "web-1: the app exited with code 1, last line: KeyError";
  struct Case {
    PodCount ready;
    std::string trouble;
    std::string not_ready;
    std::int64_t failed_starts;
    std::string told;
  };
  for (const auto& [ready, trouble, not_ready, failed_starts, told] : {
           Case{0, "", "", 0, ""},
           Case{0, "", elsewhere, 0, elsewhere},
           Case{0, "", "", 1, "the last start failed: " + crash},
           Case{0, "", "", 14, "the last 14 starts failed: " + crash},
           Case{0, "", crash, 2, "the last 2 starts failed: " + crash},
           Case{0, "", elsewhere, 2, elsewhere},
           Case{0, "stuck", elsewhere, 2, "stuck"},
           Case{1, "", "", 3, ""},
       }) {
    ServiceStatus service = web_status();
    service.desired = service.ready = ready;
    service.trouble = trouble;
    service.not_ready = not_ready;
    service.failed_starts = failed_starts;
    if (failed_starts > 0) service.start_failure = crash;
    EXPECT_EQ(service_trouble(service), told);
    EXPECT_EQ(item_of(service).result, told.empty() ? Kind::kOk : Kind::kFailed) << told;
  }
}

TEST(StatusItemsTest, HintsFollowTheTrouble) {
  EXPECT_THAT(hint_for("web",
                       "web-1: nothing listens on 127.0.0.1:1 after 1m (it listens on "
                       "[::1]:1); $PORT has the port of the app"),
              HasSubstr("127.0.0.1"));
  EXPECT_THAT(hint_for("web", "web-1: nothing listens on 127.0.0.1:1 after 1m"),
              HasSubstr("$PORT"));
  const std::string fixed = "); `port` has to be the port at which the app listens";
  EXPECT_THAT(hint_for("web",
                       "web-1: nothing listens on 127.0.0.1:1 after 1m (it listens on "
                       "127.0.0.1:20821" +
                           fixed),
              StartsWith("set port: 20821"));
  EXPECT_THAT(hint_for("web",
                       "web-1: nothing listens on 127.0.0.1:1 after 1m (it listens on "
                       "[::1]:1, [::1]:2" +
                           fixed),
              StartsWith("set port to the one"));
  EXPECT_THAT(hint_for("web", "web-1: its start command still runs after 1m"),
              HasSubstr("belongs in `command`"));
  EXPECT_THAT(hint_for("web", "web-1: the app was killed at memory-limit 100Mi; it needs more"),
              HasSubstr("a higher memory-limit"));
  EXPECT_THAT(hint_for("web",
                       "web-1: the app cannot be started: user nobody may not enter the "
                       "folder /srv/a, which is on the path of /srv/a/app (EACCES)"),
              HasSubstr("chmod o+x"));
  EXPECT_THAT(hint_for("web", "web-1: the app exited with code 0"), HasSubstr("foreground"));
  EXPECT_THAT(hint_for("web", "does not fit: replicas take 10 of 100 open files"),
              HasSubstr("LimitNOFILE"));
  EXPECT_THAT(hint_for("web", "something else"), HasSubstr("bellows explain web"));
}

TEST(StatusItemsTest, APausedServiceWithoutReplicasAndManyRestartsAreNoted) {
  ServiceStatus paused = web_status();
  paused.is_paused = true;
  paused.desired = paused.ready = 0;
  EXPECT_EQ(item_of(paused).result, Kind::kNote);
  EXPECT_EQ(item_of(paused).hint, "bellows resume web");
  ServiceStatus restarted = web_status();
  restarted.replicas.push_back(replica("web-1", "ready", ""));
  restarted.replicas.back().restarts = 3;
  EXPECT_EQ(item_of(restarted).result, Kind::kNote);
  EXPECT_THAT(item_of(restarted).text, HasSubstr("web-1 was restarted 3 times"));
}

TEST(StatusItemsTest, WhatConcernsTheMachineFollowsTheServices) {
  Status status;
  status.services.push_back(web_status());
  status.machine.emplace().unmet = {"web: 2 more do not fit"};
  RefusedStatus& refused = status.refused.emplace();
  refused.total = 4;
  refused.reason = "secret";
  refused.peer = "127.0.0.1:9";
  const auto items = status_items(status);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[1].text, "web: 2 more do not fit");
  EXPECT_EQ(items[2].text, "4 were rejected (secret), the last from 127.0.0.1:9");
  refused.reason = "unlisted";
  EXPECT_THAT(status_items(status)[2].hint, HasSubstr("label the Deployment"));
}

TEST(StatusItemsTest, OneSentenceSaysWhyNothingComesUp) {
  EXPECT_EQ(trouble_sentence(web_status()), "");
  ServiceStatus service = web_status();
  service.ready = 0;
  service.trouble = "web-1: the app exited with code 3";
  EXPECT_EQ(
      trouble_sentence(service),
      "No replica becomes ready: web-1: the app exited with code 3 (`bellows logs web` shows its "
      "output).");
}

}  // namespace
}  // namespace bellows::cli
