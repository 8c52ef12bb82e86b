#include "machine/core/difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "machine/core/route_index.hpp"
#include "tests/unit/machine/core/sample_service.hpp"

namespace bellows::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Records records_of(const std::vector<config::Service>& file) {
  return at_start({}, file).records;
}

std::vector<std::string> texts(const std::vector<ServiceChange>& changes) {
  std::vector<std::string> texts;
  for (const ServiceChange& change : changes) texts.push_back(change.text);
  return texts;
}

const std::vector<config::Service> kTwo = {sample_service("web"), sample_service("shop", "./shop")};

TEST(Difference, OfTheSameFileIsNone) {
  EXPECT_THAT(differences(records_of(kTwo), file_services(kTwo), Scope::kEverything), IsEmpty());
}

TEST(Difference, SaysWhatBecomesARevisionAndWhatTakesEffectAtOnce) {
  std::vector<config::Service> file = kTwo;
  file[0].command = {"./web", "-v"};
  file[0].environment = {{"TOKEN", "secret"}};
  file[0].settings.container_concurrency = 5;
  file[1].settings.max_scale = 20;
  file[1].route.path_prefix = "/shop";
  const auto changes = differences(records_of(kTwo), file_services(file), Scope::kEverything);
  EXPECT_THAT(texts(changes),
              ElementsAre("shop: max-scale 8 -> 20; route shop.localhost -> shop.localhost/shop",
                          "web: new revision web-00002: command [./web $PORT] -> [./web -v], "
                          "environment TOKEN added, container-concurrency 0 -> 5"));
  EXPECT_FALSE(changes[0].content);
  EXPECT_TRUE(changes[1].content);
}

TEST(Difference, AServiceComesAndAnotherGoes) {
  const std::vector<config::Service> file = {sample_service("web"), sample_service("mail")};
  EXPECT_THAT(texts(differences(records_of(kTwo), file_services(file), Scope::kWhatTheFileChanged)),
              ElementsAre("mail: new service for mail.localhost: [./web $PORT]",
                          "shop: removed; requests that it has are served"));
}

TEST(Difference, AServiceThatACommandAddedStays) {
  Records records = records_of({sample_service("web")});
  records.emplace(RevisionId("shop"), new_service(sample_service("shop")));
  EXPECT_THAT(differences(records, {sample_service("web")}, Scope::kEverything), IsEmpty());
}

TEST(Difference, ADeployStaysUntilTheFileChangesOrIsApplied) {
  Records records = records_of({sample_service("web")});
  ServiceRecord& web = records.at(RevisionId("web"));
  set_shares(web, {{revision_for(web, sample_service("web", "./web-2")).number, 100}});
  std::vector<config::Service> file = {sample_service("web")};
  file.front().command_at.text = "bellows.yaml:9";  // a line was added above it
  EXPECT_THAT(differences(records, file_services(file), Scope::kWhatTheFileChanged), IsEmpty());
  EXPECT_THAT(
      texts(differences(records, file_services(file), Scope::kEverything)),
      ElementsAre("web: revision web-00001 again: command [./web-2 $PORT] -> [./web $PORT]"));
}

TEST(Difference, ASplitIsUndoneByAnApplication) {
  Records records = records_of({sample_service("web")});
  ServiceRecord& web = records.at(RevisionId("web"));
  revision_for(web, sample_service("web", "./web-2"));
  set_shares(web, {{1, 90}, {2, 10}});
  EXPECT_THAT(texts(differences(records, {sample_service("web")}, Scope::kEverything)),
              ElementsAre("web: all requests to web-00001"));
}

TEST(Routes, OfTwoServicesDiffer) {
  std::vector<config::Service> file = kTwo;
  file[1].route = file[0].route;
  const auto checked = check_routes(records_of(file));
  ASSERT_FALSE(checked);
  EXPECT_EQ(
      to_string(checked.error()),
      "service web: takes host web.localhost and any path, as service shop does; want another "
      "host, path-prefix or headers");
}

TEST(Routes, OfTagsAreThoseOfNoOtherService) {
  config::Service web = sample_service();
  web.route.host = "web.example";
  config::Service other = sample_service("other");
  other.route.host = "canary.web.example";
  Records records = at_start({}, {web, other}).records;
  EXPECT_TRUE(check_routes(records));
  records.at(RevisionId("web")).tags = {{"canary", 1}};
  const auto checked = check_routes(records);
  ASSERT_FALSE(checked);
  EXPECT_EQ(to_string(checked.error()),
            "service web: takes host canary.web.example and any path, as service other does; want "
            "another host, path-prefix or headers");
}

TEST(Routes, OfAServiceWithATagHaveAHostForIt) {
  Records records = at_start({}, {sample_service()}).records;
  records.at(RevisionId("web")).route = {};
  records.at(RevisionId("web")).tags = {{"canary", 1}};
  const auto checked = check_routes(records);
  ASSERT_FALSE(checked);
  EXPECT_NE(to_string(checked.error()).find("has the tag canary, but no host"), std::string::npos);
}

TEST(Routes, OfManyServicesAreComparedWithEachOther) {
  Records records;
  for (int i = 0; i < 100; ++i) {
    config::Service service = sample_service("s" + std::to_string(i));
    service.route.host = "s" + std::to_string(i) + ".localhost";
    records.emplace(service.name, new_service(service));
  }
  EXPECT_TRUE(check_routes(records));
  config::Service taken = sample_service("new");
  taken.route.host = "s7.localhost";
  RouteIndex index(records);
  const auto refused = index.check(records, {{taken.name, new_service(taken)}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()),
            "service s7: takes host s7.localhost and any path, as service new does; want another "
            "host, path-prefix or headers");
  EXPECT_TRUE(
      index.check(records, {{taken.name, new_service(taken)}, {RevisionId("s7"), std::nullopt}}));

  const ServiceRecord before = records.at(RevisionId("s7"));
  ServiceRecord& moved = records.at(RevisionId("s7"));
  moved.route.host = "moved.localhost";
  index.replace(&before, &moved);
  EXPECT_TRUE(index.check(records, {{taken.name, new_service(taken)}})) << "s7 has moved";
  taken.route.host = "moved.localhost";
  EXPECT_FALSE(index.check(records, {{taken.name, new_service(taken)}}));
  index.replace(&moved, nullptr);
  records.erase(RevisionId("s7"));
  EXPECT_TRUE(index.check(records, {{taken.name, new_service(taken)}})) << "s7 is removed";
}

TEST(Routes, OfOneChangeDifferFromEachOther) {
  config::Service one = sample_service("one");
  config::Service two = sample_service("two");
  two.route = one.route;
  const RouteIndex index({});
  EXPECT_FALSE(index.check({}, {{one.name, new_service(one)}, {two.name, new_service(two)}}));
}

TEST(Fallback, IsAServiceThatThereIs) {
  config::Service web = sample_service();
  web.settings.callers.fallback_service = "rest";
  Records records = at_start({}, {web, sample_service("other")}).records;
  const auto checked = check_fallback(records, {}, web.name, web.settings);
  ASSERT_FALSE(checked);
  EXPECT_EQ(to_string(checked.error()),
            "service web: fallback-service: \"rest\": there is none; want another service: other");
  EXPECT_FALSE(check_fallback(records, {}, RevisionId("rest"), web.settings)) << "it is itself";
  EXPECT_TRUE(check_fallback(records, {}, web.name, config::RevisionSettings())) << "none is set";
  records = at_start({}, {web, sample_service("rest")}).records;
  EXPECT_TRUE(check_fallback(records, {}, web.name, web.settings));
  EXPECT_FALSE(
      check_fallback(records, {{RevisionId("rest"), std::nullopt}}, web.name, web.settings))
      << "it is removed together with that";
}

TEST(Fallback, StaysAsLongAsAnotherServiceNamesIt) {
  config::Service web = sample_service();
  web.settings.callers.fallback_service = "rest";
  Records records = at_start({}, {web, sample_service("rest")}).records;
  const Edits gone = {{RevisionId("rest"), std::nullopt}};
  const auto checked = check_removed(records, gone);
  ASSERT_FALSE(checked);
  EXPECT_EQ(to_string(checked.error()),
            "service rest: is the fallback-service of web; want that set to another service, or to "
            "none, before it is removed");
  Edits both = gone;
  both.emplace(RevisionId("web"), std::nullopt);
  EXPECT_TRUE(check_removed(records, both)) << "they go together";
  Edits changed = gone;
  changed[web.name] = records.at(web.name);
  web.settings.callers.fallback_service = "";
  changed[web.name]->revisions[0].content = web;
  EXPECT_TRUE(check_removed(records, changed)) << "it is changed together with that";
  revision_for(records.at(web.name), sample_service("web", "./web-2"));
  set_shares(records.at(web.name), {{2, 100}});
  EXPECT_TRUE(check_removed(records, gone)) << "only a revision without requests names it";
}

TEST(Routes, NoServiceHasTheNameOfARevisionOfAnother) {
  Records records = records_of({sample_service("web")});
  revision_for(records.at(RevisionId("web")), sample_service("web", "./web-2"));
  records.emplace(RevisionId("web-00002"), new_service(sample_service("web-00002")));
  const auto checked = check_routes(records);
  ASSERT_FALSE(checked);
  EXPECT_EQ(to_string(checked.error()),
            "service web-00002: has the name of a revision of service web; want another name");
}

TEST(Routes, NoServiceThatComesHasTheNameOfARevisionOfAnother) {
  Records records = records_of({sample_service("web")});
  revision_for(records.at(RevisionId("web")), sample_service("web", "./web-2"));
  const RouteIndex index(records);
  const auto comes = [&](const std::string& name) {
    const config::Service service = sample_service(name);
    return index.check(records, {{service.name, new_service(service)}});
  };
  EXPECT_FALSE(comes("web-00001"));
  ASSERT_FALSE(comes("web-00002"));
  EXPECT_EQ(to_string(comes("web-00002").error()),
            "service web-00002: has the name of a revision of service web; want another name");
  EXPECT_TRUE(comes("web-00003"));
  EXPECT_TRUE(comes("web-2"));
  EXPECT_TRUE(comes("web-"));
  EXPECT_TRUE(comes("shop-00002"));
}

TEST(FileServices, ThatAreDeclaredAreTheSameCopies) {
  const Records records = records_of(kTwo);
  std::vector<config::Service> services = {kTwo[1], kTwo[0], sample_service("mail")};
  services[1].settings.max_scale = 3;
  const FileServices file = file_services(services, declared(records));
  ASSERT_THAT(file, SizeIs(3));
  EXPECT_EQ(file[0]->name, RevisionId("mail"));
  EXPECT_EQ(&*file[1], &**records.at(RevisionId("shop")).declared);
  EXPECT_EQ(file[2]->settings->max_scale, 3);
  const FileServices others = redeclared(records, file);
  ASSERT_THAT(others, SizeIs(2));
  EXPECT_EQ(others[0]->name, RevisionId("mail"));
  EXPECT_EQ(others[1]->name, RevisionId("web"));
}

TEST(FileServices, AreOneCopyWithWhatRuns) {
  const Records records = records_of(kTwo);
  const ServiceRecord& web = records.at(RevisionId("web"));
  EXPECT_EQ(&**web.declared, &*web.revisions.front().content);
}

TEST(Start, TakesOverWhatWasSavedAndSaysSo) {
  Records saved = records_of(kTwo);
  ServiceRecord& web = saved.at(RevisionId("web"));
  revision_for(web, sample_service("web", "./web-2"));
  set_shares(web, {{2, 100}});
  const StartPlan plan = at_start(saved, kTwo);
  EXPECT_EQ(plan.records, saved);
  EXPECT_THAT(plan.notes, ElementsAre("web: runs web-00002, which the settings file does not have; "
                                      "`bellows apply` undoes that"));
}

TEST(Start, AChangedFileWinsForTheServicesThatItChanged) {
  Records saved = records_of(kTwo);
  for (const char* name : {"web", "shop"}) {
    ServiceRecord& record = saved.at(RevisionId(name));
    set_shares(record, {{revision_for(record, sample_service(name, "./two")).number, 100}});
  }
  std::vector<config::Service> file = kTwo;
  file[0].command = {"./three"};
  const StartPlan plan = at_start(saved, file);
  EXPECT_EQ(plan.records.at(RevisionId("web")).current()->content->command, file[0].command);
  EXPECT_EQ(plan.records.at(RevisionId("web")).current()->number, 3);
  EXPECT_EQ(plan.records.at(RevisionId("shop")).current()->number, 2);
  EXPECT_THAT(plan.notes, SizeIs(2));
}

TEST(Start, ARemovedServiceStaysRemovedUntilTheFileHasItOtherwise) {
  Records saved = records_of(kTwo);
  saved.at(RevisionId("web")).revisions.clear();
  EXPECT_TRUE(at_start(saved, kTwo).records.at(RevisionId("web")).is_removed());
  std::vector<config::Service> file = kTwo;
  file[0].settings.max_scale = 3;
  const StartPlan plan = at_start(saved, file);
  EXPECT_EQ(plan.records.at(RevisionId("web")).current()->number, 2) << "1 was other content";
}

TEST(Start, AServiceThatTheFileHasNoMoreIsGoneAndAnAddedOneStays) {
  Records saved = records_of(kTwo);
  saved.emplace(RevisionId("mail"), new_service(sample_service("mail")));
  const StartPlan plan = at_start(saved, {sample_service("web")});
  EXPECT_FALSE(plan.records.contains(RevisionId("shop")));
  EXPECT_TRUE(plan.records.contains(RevisionId("mail")));
}

TEST(Start, ADeployThatWasCutShortIsToldAndNotTakenUp) {
  Records saved = records_of(kTwo);
  ServiceRecord& web = saved.at(RevisionId("web"));
  revision_for(web, sample_service("web", "./web-2"));
  web.under_way = "deploy to web-00002=100";
  const StartPlan plan = at_start(saved, kTwo);
  EXPECT_THAT(plan.notes, ElementsAre("web: a deploy to web-00002=100 was under way when Bellows "
                                      "ended, and did not take effect"));
  EXPECT_EQ(plan.records.at(RevisionId("web")).current()->number, 1);
  EXPECT_EQ(plan.records.at(RevisionId("web")).under_way, "");
}

TEST(Start, AVersionOfTheFileThatFailedIsNotRunByARestart) {
  std::vector<config::Service> file = {sample_service("web")};
  Records saved = records_of(file);
  file[0].command = {"./broken"};
  ServiceRecord& web = saved.at(RevisionId("web"));
  revision_for(web, file[0]).failure = "it exited";
  web.declared = file[0];
  EXPECT_EQ(at_start(saved, file).records.at(RevisionId("web")).current()->number, 1);
}

TEST(Start, ACanaryThatWasCutShortIsToldAndAllIsAsBeforeIt) {
  const std::vector<config::Service> file = {sample_service("web")};
  Records saved = at_start({}, file).records;
  ServiceRecord& web = saved.at(RevisionId("web"));
  revision_for(web, sample_service("web", "./web-2"));
  set_shares(web, {{1, 75}, {2, 25}});
  web.before_canary = {{1, 100}};
  web.under_way = "canary to web-00002=100";
  const StartPlan plan = at_start(saved, file);
  EXPECT_EQ(plan.records.at(RevisionId("web")).shares(), (Shares{{1, 100}}));
  EXPECT_TRUE(plan.records.at(RevisionId("web")).before_canary.empty());
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(plan.notes.front(),
            "web: a canary was under way when Bellows ended: the shares are those before it, "
            "web-00001=100");
}

}  // namespace
}  // namespace bellows::machine
