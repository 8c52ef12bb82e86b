#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/status/status_model.hpp"
#include "cli/status/status_view.hpp"

namespace bellows::cli {
namespace {

constexpr const char* kBusy = R"({"version":2,"services":[{"name":"web","revisions":[{
  "name":"web","state":"Active","mode":"panic","stable_concurrency":31.25,"panic_concurrency":120,"target":7,
  "desired":8,"requested":8,"ready":3,"starting":5,"waiting":12,"trouble":"","not_ready":"","failed_starts":{"count":2,"last":"web-2: no database"},
  "last_decision":{"want":8,"because":"120 in flight over 6s, target 7"},
  "replicas":[{"name":"web-1","phase":"ready","in_flight":9,"restarts":1,"trouble":"",
               "usage":{"cpu_millicores":250,"memory_bytes":12000000},"start":{"ready_after_ms":312}},
              {"name":"web-2","phase":"starting","in_flight":0,"restarts":0,"trouble":"","usage":null}],
  "something_new":true}]}]})";

TEST(StatusOfABusyService, IsParsedWithKnownAndUnknownKeys) {
  const auto status = parse_status(kBusy);
  ASSERT_TRUE(status.has_value());
  ASSERT_EQ(status->services.size(), 1U);
  const ServiceStatus& web = status->services[0];
  EXPECT_EQ(web.desired, 8);
  EXPECT_EQ(web.because, "120 in flight over 6s, target 7");
  EXPECT_EQ(web.failed_starts, 2);
  EXPECT_EQ(web.start_failure, "web-2: no database");
  ASSERT_EQ(web.replicas.size(), 2U);
  EXPECT_EQ(web.replicas[0].memory, Bytes{12000000});
  EXPECT_EQ(web.replicas[0].start_took, std::chrono::milliseconds(312));
  EXPECT_EQ(web.replicas[1].cpu, std::nullopt);
}

TEST(StatusOfAPausedService, SaysSoInPlaceOfItsState) {
  const auto status = parse_status(
      R"({"services":[{"name":"web","revisions":[{"name":"web","state":"Active","paused":true,)"
      R"("desired":2,"ready":2}]}]})");
  ASSERT_TRUE(status.has_value());
  EXPECT_NE(summary_lines(*status)[1].find("web      Paused"), std::string::npos);
  EXPECT_NE(one_line(status->services[0]).find("web  Paused"), std::string::npos);
}

constexpr const char* kDeployed = R"({"services":[{"name":"api","revisions":[
  {"name":"api","service":"api","share":100,"state":"Reserve"}]},
  {"name":"shop","revisions":[{"name":"shop-00007","service":"shop","share":100,"state":"Active","desired":1,"ready":1}]},
  {"name":"web","revisions":[
  {"name":"web","service":"web","share":10,"state":"Active","mode":"panic","desired":2,"ready":2,"waiting":3,
   "last_decision":{"because":"old"},"replicas":[{"name":"web-1","phase":"ready"}]},
  {"name":"web-00002","service":"web","share":90,"state":"Active","mode":"stable","desired":4,"ready":3,"waiting":1,
   "last_decision":{"because":"new"},"replicas":[{"name":"web-00002-1","phase":"ready"}]}]}]})";

TEST(StatusOfADeployedService, HasOneLineAndItsRevisionsBelow) {
  const auto status = parse_status(kDeployed);
  ASSERT_TRUE(status.has_value());
  const auto lines = summary_lines(*status);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[1].starts_with("api "));
  EXPECT_TRUE(lines[2].starts_with("shop ")) << "the only revision of a service is the service";
  EXPECT_TRUE(lines[3].starts_with("web "));
  EXPECT_NE(lines[3].find("panic"), std::string::npos);
  EXPECT_NE(lines[3].find("5/6"), std::string::npos);
  EXPECT_NE(lines[3].find("90 % to web-00002, 10 % to web"), std::string::npos);
  EXPECT_TRUE(lines[4].starts_with("  web-00002 "));
  EXPECT_TRUE(lines[5].starts_with("  web "));
}

TEST(StatusOfADeployedService, IsFoundByItsNameAndByThatOfARevision) {
  const Status status = parse_status(kDeployed).value();
  ASSERT_NE(find(status, "web"), nullptr);
  EXPECT_EQ(find(status, "web")->waiting, 4);
  EXPECT_EQ(find(status, "web")->because, "new");
  EXPECT_EQ(find(status, "web")->replicas.size(), 2U);
  ASSERT_NE(find(status, "web-00002"), nullptr);
  EXPECT_EQ(find(status, "web-00002")->waiting, 1);
  EXPECT_EQ(find(status, "web-00003"), nullptr);
  ASSERT_NE(find(status, "shop-00007"), nullptr) << "the only one of its service";
  EXPECT_EQ(find(status, "shop-00007")->name, "shop");
}

TEST(StatusOfAnUnreachableCluster, BeginsWithSinceWhen) {
  const auto status = parse_status(
      R"({"cluster":{"unreachable_ms":310000},"services":[{"name":"web","revisions":[{"name":"web"}]}]})");
  ASSERT_TRUE(status.has_value());
  const auto lines = table_with_sizes(*status);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "The cluster has not been reachable for 5m10s: replicas are those of its last list.");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(table_with_sizes(*parse_status(kBusy)).size(), 2U);
}

TEST(StatusOfACanary, SaysItsStepAndWhatItGoesBackFor) {
  const auto status = parse_status(
      R"({"under_way":[{"service":"web","cause":"canary",)"
      R"("message":"web-00002 gets 5 % (step 1 of 3): 12 requests, 0 errors; 1m left",)"
      R"("goes_back_if":"more than 1 % of the requests fail"},)"
      R"({"service":"api","cause":"deploy","message":"api-00002: 0 of 1 replica ready"}],)"
      R"("services":[{"name":"web","revisions":[{"name":"web"}]}]})");
  ASSERT_TRUE(status.has_value());
  const auto lines = table_with_sizes(*status);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[2], "");
  EXPECT_EQ(
      lines[3],
      "canary of web: web-00002 gets 5 % (step 1 of 3): 12 requests, 0 errors; 1m left; rolls "
      "back if more than 1 % of the requests fail");
  EXPECT_EQ(lines[4], "deploy of api: api-00002: 0 of 1 replica ready");
}

TEST(StatusTarget, HasTheDigitsOfTheReason) {
  const auto status =
      parse_status(R"({"services":[{"name":"api","revisions":[{"name":"api","target":3.57}]},)"
                   R"({"name":"web","revisions":[{"name":"web","target":0.231,)"
                   R"("last_decision":{"because":"1 / 0.231"}}]}]})");
  ASSERT_TRUE(status.has_value());
  const auto lines = summary_lines(*status);
  EXPECT_NE(lines[1].find(" 3.57 "), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find(" 0.231 "), std::string::npos) << lines[2];
}

TEST(StatusOfRefusedStats, SaysHowManyAndWhoseWereTheLast) {
  const auto status = parse_status(
      R"({"services":[{"name":"web","revisions":[{"name":"web"}]}],"refused_stats":{"total":12,"last":{"age_ms":3000,)"
      R"("reason":"unlisted","peer":"10.0.0.9:4102","of":"pod web-9 of web"}}})");
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(table_with_sizes(*status).back(),
            "12 stats were rejected, the last 3.00s ago: pod web-9 of web from 10.0.0.9:4102 "
            "(unlisted).");
}

TEST(StatusOfAMachine, SaysWhatFitsAndWhatWouldNot) {
  const auto status = parse_status(
      R"({"services":[{"name":"web","revisions":[{"name":"web"}]}],"machine":{"capacity":{"memory_bytes":1000000000},)"
      R"("requested":{"memory_bytes":900000000},"busiest":"web","room_kept":true,"services":[)"
      R"({"name":"blog-00001","service":"blog","replicas":3,"fit_more":0,"limit":1},)"
      R"({"name":"web-00001","service":"web","replicas":1,"fit_more":0}],"unmet":[{"object":"service web","field":"memory","value":"300M",)"
      R"("reason":"its next replica would not fit"}],"note":"machine-memory: 1T is more"}})");
  ASSERT_TRUE(status.has_value());
  const auto lines = table_with_sizes(*status);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[3],
            "machine: replicas request memory 900M of 1G; there is room for 0 more of blog, "
            "0 more of web; room for the next replica of web is kept (down for it: blog to 1)");
  EXPECT_EQ(lines[4], "  service web: memory 300M: its next replica would not fit");
  EXPECT_EQ(lines[5], "  machine-memory: 1T is more");
}

TEST(StatusOfAPathThatCannotBeAsAsked, SaysWhyBeforeTheDecisionsWords) {
  const auto status = parse_status(
      R"({"services":[{"name":"shop/web","revisions":[{"name":"shop/web","path":{"state":"direct","activators":[],"problem":)"
      R"("no activator is ready; the last replica stays"},"last_decision":{"because":"its words"}}]}]})");
  ASSERT_TRUE(status.has_value());
  const auto lines = table_with_sizes(*status);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[1],
              testing::EndsWith("  no activator is ready; the last replica stays; its words"));
}

TEST(StatusOfPolicies, SaysWhoDecidesWhoIsOccupiedAndWhatComes) {
  const auto status = parse_status(
      R"({"services":[{"name":"rooms","revisions":[{"name":"rooms","desired":10,"occupied":4,"kept":3,)"
      R"("policies":[{"policy":"triggers","want":4,"because":"no trigger fired"},)"
      R"({"policy":"schedule","want":10,"because":"10 by the schedule","decides":true},)"
      R"({"policy":"webhook","because":"was not asked yet"}],)"
      R"("ahead":["schedule: 0 from Mon 20:00 Europe/Berlin, in 11h"]}]},{"name":"web","revisions":[{"name":"web"}]}]})");
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(policy_lines(*status),
            (std::vector<std::string>{
                "", "policies of rooms: triggers 4, schedule 10 (decides), webhook cannot say",
                "occupied in rooms: 4, of which no scale-down removes 3",
                "ahead for rooms: schedule: 0 from Mon 20:00 Europe/Berlin, in 11h"}));
  EXPECT_EQ(table_with_sizes(*status).size(), 7U);
  EXPECT_TRUE(policy_lines(*parse_status(kBusy)).empty());
}

TEST(StatusThatIsNone, IsAnErrorNotAnEmptyList) {
  for (const char* text : {"", "[]", "{}", R"({"services":3})", R"({"revisions":[]})", "<html>"}) {
    EXPECT_FALSE(parse_status(text).has_value()) << text;
  }
}

TEST(StatusPage, KeepsTheRevisionsThatWereAskedForAndAllElse) {
  const std::string page =
      R"({"version":2,"cluster":{"unreachable_ms":5},"services":[{"name":"blog/web",)"
      R"("revisions":[{"name":"blog/web"}]},{"name":"shop/web","later":[1],)"
      R"("revisions":[{"name":"shop/web","later":[1]}]}]})";
  auto status = parse_status(page);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status_page_of(page, *status), page) << "all are kept";
  status->services.erase(status->services.begin());
  status->services[0].name = "web";
  EXPECT_EQ(status_page_of(page, *status),
            R"({"version":2,"cluster":{"unreachable_ms":5},"services":[{"name":"shop/web",)"
            R"("later":[1],"revisions":[{"name":"shop/web","later":[1]}]}]})");
  EXPECT_FALSE(status_page_of("[]", *status));
}

TEST(StatusTable, ShowsOneLinePerServiceAndWideOneMorePerReplica) {
  const auto status = parse_status(kBusy);
  const auto summary = summary_lines(*status);
  ASSERT_EQ(summary.size(), 2U);
  EXPECT_NE(summary[1].find("web      Active  panic  3/8 (5 starting)    31.2    120"),
            std::string::npos)
      << summary[1];
  const auto wide = wide_lines(*status);
  ASSERT_EQ(wide.size(), 6U);
  EXPECT_NE(wide[4].find("web-1    ready             9  250m     12M  312ms         1"),
            std::string::npos)
      << wide[4];
}

constexpr const char* kSized = R"({"version":2,"services":[
  {"name":"db","revisions":[{"name":"db","state":"Active","mode":"stable"}]},
  {"name":"web","revisions":[{"name":"web","state":"Active","mode":"stable",
   "replicas":[{"name":"web-1","phase":"ready","usage":{"cpu_millicores":250,"memory_bytes":12000000},
                "size":{"cpu_millicores":400,"memory_bytes":64000000,"memory_limit_bytes":128000000}}],
   "resources":{"mode":"auto","policy":"hybrid",
                "target":{"cpu_millicores":400,"memory_bytes":64000000},
                "lower_bound":{"cpu_millicores":200,"memory_bytes":32000000},
                "upper_bound":{"cpu_millicores":800,"memory_bytes":128000000},
                "reason":{"cpu":"c","memory":"a peak of 55.6 MB and 15 %"},
                "note":"running replicas keep their size in panic mode"}}]}]})";

TEST(StatusOfASizedService, ShowsTargetBoundsAndReason) {
  const auto status = parse_status(kSized);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->services[0].resources, std::nullopt);
  const auto lines = size_lines(*status);
  ASSERT_EQ(lines.size(), 2U) << "those that are measured";
  EXPECT_NE(lines[1].find("web      auto   hybrid  400m (200m to 800m)  "
                          "64M (32M to 128M)  "
                          "running replicas keep their size in panic mode; a peak of 55.6 MB and"),
            std::string::npos)
      << lines[1];
  const auto wide = wide_lines(*status);
  EXPECT_NE(wide.back().find("250m of 400m  12M of 64M, at most 128M"), std::string::npos)
      << wide.back();
}

TEST(StatusOfASizedService, WithTwoRevisionsNamesTheServiceFirst) {
  const auto status = parse_status(R"({"services":[{"name":"web","revisions":[
    {"name":"web-00001","share":90,"resources":{"mode":"auto"}},
    {"name":"web-00002","share":10,"resources":{"mode":"auto"}}]}],
    "machine":{"services":[{"name":"web-00001","service":"web","fit_more":16},
                           {"name":"web-00002","service":"web","fit_more":8}]}})");
  ASSERT_TRUE(status.has_value());
  const auto lines = size_lines(*status);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[1].starts_with("web (web-00001) ")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("web (web-00002) ")) << lines[2];
  EXPECT_THAT(machine_lines(*status)[1],
              testing::HasSubstr("room for 16 more of web (web-00001), 8 more of web (web-00002)"));
}

TEST(StatusOfASizedService, AnErrorIsShownInsteadOfTheReason) {
  Status status = *parse_status(kSized);
  status.services[1].resources->trouble = "memory.max: device busy";
  EXPECT_NE(size_lines(status)[1].find("ERROR: memory.max: device busy"), std::string::npos);
}

TEST(StatusLine, CountsWaitingRequestsAsInFlight) {
  const auto status = parse_status(kBusy);
  EXPECT_EQ(one_line(status->services[0]),
            "web  Active panic  3/8 (5 starting) replicas ready  21 in flight  12 waiting");
}

TEST(StatusChart, ScalesEachPartByItsOwnPeak) {
  StatusHistory history;
  const auto status = parse_status(kBusy);
  for (int i = 0; i < 3; ++i) history.add(status->services[0]);
  const auto lines = chart_lines(history, 40);
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[0].substr(0, 11), "        50 ");
  EXPECT_EQ(lines[5].substr(0, 11), "         5 ");
}

}  // namespace
}  // namespace bellows::cli
