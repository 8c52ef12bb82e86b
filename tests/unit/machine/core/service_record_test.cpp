#include "machine/core/service_record.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <tuple>

#include "cluster/local/queue_proxy_contract.hpp"
#include "tests/unit/machine/core/sample_service.hpp"

namespace bellows::machine {
namespace {

TEST(Revision, TheSameContentIsTheSameRevision) {
  ServiceRecord web = new_service(sample_service());
  config::Service other = sample_service("web", "./web-2");
  EXPECT_EQ(revision_for(web, other).number, 2);
  EXPECT_EQ(revision_for(web, sample_service()).number, 1);
  EXPECT_EQ(revision_for(web, other).number, 2);
  other.environment["LOG"] = "debug";
  EXPECT_EQ(revision_for(web, other).number, 3);
  EXPECT_EQ(web.revisions.size(), 3U);
}

TEST(Revision, IsNamedAfterItsServiceAndItsNumber) {
  EXPECT_EQ(revision_id(RevisionId("web"), 1).text(), "web-00001");
  EXPECT_EQ(revision_id(RevisionId("web"), 2).text(), "web-00002");
  EXPECT_EQ(revision_id(RevisionId("web"), 123456).text(), "web-123456");
}

TEST(Revision, IsFoundByNameAndByNumber) {
  ServiceRecord web = new_service(sample_service());
  revision_for(web, sample_service("web", "./web-2"));
  EXPECT_EQ(number_of(web, "web-00001"), 1);
  EXPECT_EQ(number_of(web, "web"), std::nullopt) << "that is the service";
  EXPECT_EQ(number_of(web, "web-00002"), 2);
  EXPECT_EQ(number_of(web, "2"), 2);
  EXPECT_EQ(number_of(web, "3"), std::nullopt);
  EXPECT_EQ(revision_names(web), "web-00001, web-00002");
}

TEST(Revision, OfWhichOnlyScalingDiffersIsTheSameWithTheNewSettings) {
  ServiceRecord web = new_service(sample_service());
  config::Service changed = sample_service();
  changed.settings.max_scale = 30;
  EXPECT_EQ(revision_for(web, changed).number, 1);
  EXPECT_EQ(web.revisions[0].content->settings->max_scale, 30);
}

config::RevisionSettings with_max_scale() {
  config::RevisionSettings settings;
  settings.max_scale = 8;
  return settings;
}

/// Settings with another valid value of `setting`; nullopt if none of the candidates is valid.
std::optional<config::RevisionSettings> with_another(const config::Declaration& setting) {
  std::vector<std::string> values = setting.choices;
  for (const char* value :
       {"true", "false", "2", "3", "50", "300", "0.01", "2m", "7s", "20m", "2Mi", "100m", "/probe",
        "agent/", "64Mi", "p95 < 1s", "wait.html", R"([{"path":"/healthz"}])", R"({"min":1})"}) {
    values.emplace_back(value);
  }
  for (const std::string& value : values) {
    // A fixed port is for one replica.
    const config::Layer max_scale = {config::flag("max-scale", setting.name == "port" ? "1" : "8")};
    const config::Layer changed = {config::flag(setting.name, value)};
    const auto applied = config::revision_schema().apply({max_scale, changed});
    if (applied && *applied != with_max_scale()) return *applied;
  }
  return std::nullopt;
}

TEST(Revision, DiffersByEverySettingThatAReplicaIsToldAtItsStart) {
  const auto told = [](const config::RevisionSettings& settings) {
    config::Service web = sample_service();
    web.settings = settings;
    auto environment = cluster::queue_proxy_environment(web, {});
    environment.erase("BELLOWS_WINDOW");  // only the memory for a restart
    return environment;
  };
  /// What Bellows itself does at a start.
  const auto of_the_replica = [](const config::RevisionSettings& settings) {
    return std::tuple(settings.port, settings.progress_deadline, settings.drain_timeout,
                      settings.resources.mode != config::ResourcesMode::kOff);
  };
  for (const config::Declaration& setting : config::revision_schema().declarations()) {
    if (setting.choices.size() == 1) continue;
    const auto after = with_another(setting);
    EXPECT_TRUE(after) << "no other value for " << setting.name << ": add one that is valid";
    if (!after) continue;
    config::Service web = sample_service();
    web.settings = with_max_scale();
    config::Service changed = web;
    changed.settings = *after;
    const bool is_told = told(web.settings) != told(*after) ||
                         of_the_replica(web.settings) != of_the_replica(*after);
    EXPECT_EQ(is_same_content(web, changed), !is_told) << setting.name;
  }
}

TEST(Shares, RememberWhatGotMostBefore) {
  ServiceRecord web = new_service(sample_service());
  revision_for(web, sample_service("web", "./web-2"));
  EXPECT_EQ(web.previous, 0);
  set_shares(web, {{1, 90}, {2, 10}});
  EXPECT_EQ(web.previous, 0) << "the first one still gets most";
  set_shares(web, {{2, 100}});
  EXPECT_EQ(web.previous, 1);
  EXPECT_EQ(web.current()->number, 2);
  set_shares(web, {{1, 100}});
  EXPECT_EQ(web.previous, 2) << "a second rollback undoes the first";
  EXPECT_EQ(web.shares(), (Shares{{1, 100}}));
}

TEST(Shares, OldRevisionsAreDeletedAndTheirNumbersNotReused) {
  ServiceRecord web = new_service(sample_service());
  for (int i = 2; i <= 9; ++i) {
    revision_for(web, sample_service("web", "./web-" + std::to_string(i)));
  }
  set_shares(web, {{9, 100}});
  forget_old(web, 3);
  EXPECT_EQ(revision_names(web), "web-00001, web-00007, web-00008, web-00009");
  EXPECT_EQ(web.previous, 1);
  EXPECT_EQ(revision_for(web, sample_service("web", "./web-2")).number, 10);
}

TEST(Shares, OnlyRevisionsWithAShareHaveTheServicesRoute) {
  ServiceRecord web = new_service(sample_service());
  revision_for(web, sample_service("web", "./web-2"));
  web.route.host = "new.localhost";
  set_shares(web, {{2, 100}});
  const auto run = revisions_to_run(web);
  ASSERT_EQ(run.size(), 1U);
  EXPECT_EQ(run[0].name.text(), "web-00002");
  EXPECT_EQ(run[0].of.text(), "web");
  EXPECT_EQ(run[0].route.host, "new.localhost");
  EXPECT_EQ(run[0].share, 100);
}

TEST(StateOfAService, IsKeptOnlyWhereItIsOtherwiseThanInTheSettingsFile) {
  ServiceRecord web = new_service(sample_service());
  EXPECT_FALSE(is_as_declared(web)) << "a command has added it";
  web.declared = sample_service();
  EXPECT_TRUE(is_as_declared(web));
  ServiceRecord begun = web;
  begun.under_way = "deploy to web-00002=100";
  EXPECT_FALSE(is_as_declared(begun));
  ServiceRecord canary = web;
  canary.before_canary = {{1, 100}};
  EXPECT_FALSE(is_as_declared(canary));
  ServiceRecord deployed = web;
  revision_for(deployed, sample_service("web", "./web-2"));
  EXPECT_FALSE(is_as_declared(deployed));
  ServiceRecord configured = web;
  config::RevisionSettings other = sample_service().settings;
  other.target = 99;
  set_settings(configured.revisions.front(), other);
  EXPECT_FALSE(is_as_declared(configured));
  ServiceRecord moved = web;
  moved.route.host = "other.localhost";
  EXPECT_FALSE(is_as_declared(moved));
  ServiceRecord ruled = web;
  ruled.route.headers = {{.name = "x-version", .value = "2"}};
  EXPECT_FALSE(is_as_declared(ruled));
  ServiceRecord tagged = web;
  tagged.tags = {{"stable", 1}};
  EXPECT_FALSE(is_as_declared(tagged));
  web.revisions.clear();
  EXPECT_FALSE(is_as_declared(web)) << "a command has removed it";
}

TEST(EditsOfRecords, ReplaceAndForgetThoseThatTheyName) {
  Records records;
  records.emplace(RevisionId("a"), new_service(sample_service("a")));
  records.emplace(RevisionId("b"), new_service(sample_service("b")));
  ServiceRecord moved = new_service(sample_service("b"));
  moved.route.host = "b.localhost";
  const Edits edits = {{RevisionId("a"), std::nullopt}, {RevisionId("b"), moved}};
  EXPECT_EQ(find(records, edits, RevisionId("a")), nullptr);
  EXPECT_EQ(find(records, edits, RevisionId("b"))->route.host, "b.localhost");
  EXPECT_EQ(find(records, {}, RevisionId("a")), &records.at(RevisionId("a")));
  EXPECT_EQ(find(records, {}, RevisionId("c")), nullptr);
  carry_out(edits, records);
  EXPECT_EQ(records, (Records{{RevisionId("b"), moved}}));
}

TEST(Tags, KeepARevisionThatHasNoShareRunningWithAHostOfItsOwn) {
  config::Service first = sample_service();
  first.route.host = "web.example";
  ServiceRecord web = new_service(first);
  revision_for(web, sample_service("web", "./web-2"));
  EXPECT_EQ(revisions_to_run(web).size(), 1U);
  web.tags = {{"canary", 2}};
  const std::vector<config::ServiceRevision> run = revisions_to_run(web);
  ASSERT_EQ(run.size(), 2U);
  EXPECT_TRUE(run[0].route.tags.empty());
  EXPECT_EQ(run[1].share, 0);
  EXPECT_EQ(to_string(config::route_of(tag_rules(run[1].route))), "canary.web.example");
  web.tags.clear();
  EXPECT_EQ(revisions_to_run(web).size(), 1U);
}

TEST(Tags, KeepARevisionFromBeingForgotten) {
  ServiceRecord web = new_service(sample_service());
  for (int i = 2; i < 6; ++i)
    revision_for(web, sample_service("web", "./web-" + std::to_string(i)));
  web.tags = {{"old", 2}};
  forget_old(web, 0);
  EXPECT_EQ(revision_names(web), "web-00001, web-00002");
}

}  // namespace
}  // namespace bellows::machine
