#include "config/bellows_file.hpp"

#include <gtest/gtest.h>

#include "base/yaml/document_reader.hpp"
#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

Checked<UpSettings> up(std::string_view yaml, const std::vector<Layer>& above = {}) {
  const auto document = yaml::parse_document("b.yaml", yaml);
  if (!document) return tl::unexpected(document.error());
  return read_bellows_file(*document, above);
}

TEST(BellowsFile, NeedsOnlyANameAndACommand) {
  const auto settings = up("services:\n- {name: web, command: [app, $PORT]}\n");
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());
  EXPECT_EQ(settings->run, RunSettings());
  ASSERT_EQ(settings->services.size(), 1U);
  const Service& web = settings->services[0];
  EXPECT_EQ(web.name.text(), "web");
  EXPECT_EQ(web.command, (Strings{"app", "$PORT"}));
  EXPECT_EQ(web.settings, one_machine_settings());
  EXPECT_EQ(web.route, Route());
}

TEST(BellowsFile, KeepsTheTextOfArgumentsAndVariables) {
  const auto settings =
      up("services:\n"
         "- name: web\n"
         "  command: [app, 010, yes, \"\", 1e3]\n"
         "  environment: {A: 010, B: yes, C: \"\", D: \"x y\"}\n");
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());
  EXPECT_EQ(settings->services[0].command, (Strings{"app", "010", "yes", "", "1e3"}));
  EXPECT_EQ(
      settings->services[0].environment,
      (std::map<std::string, std::string>{{"A", "010"}, {"B", "yes"}, {"C", ""}, {"D", "x y"}}));
}

TEST(BellowsFile, OverridesDefaultsByTheServiceAndBothByFlags) {
  const std::string_view yaml =
      "defaults: {window: 30s, target: 20, max-scale: 3}\n"
      "services:\n"
      "- {name: a, command: [app], host: a.localhost, target: 5}\n"
      "- {name: b, command: [app], host: b.localhost, settings: {window: 10s}}\n";
  const auto settings =
      up(yaml, {environment_layer(up_schema().declarations(), {{"BELLOWS_WINDOW", "40s"}}),
                flags({{"max-scale", "4"}})});
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());
  const RevisionSettings& a = settings->services[0].settings;
  const RevisionSettings& b = settings->services[1].settings;
  EXPECT_EQ(a.target, 5);
  EXPECT_EQ(b.target, 20);
  EXPECT_EQ(a.window, 40s);
  EXPECT_EQ(b.window, 40s);
  EXPECT_EQ(a.max_scale, 4);
  EXPECT_EQ(b.max_scale, 4);
}

TEST(BellowsFile, ReadsTheSettingsOfUpAtTheTopAndFlagsOverrideThem) {
  const std::string_view yaml =
      "listen: 127.0.0.1:9000\nlog-format: json\nservices: [{name: a, command: [b]}]\n";
  const auto settings = up(yaml, {flags({{"listen", "127.0.0.1:9001"}})});
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());
  EXPECT_EQ(settings->run.listen.port, 9001);
  EXPECT_EQ(settings->run.log.format, LogFormat::kJson);
}

TEST(BellowsFile, AllowsNoUnixSocketForTheAdminPort) {
  const auto settings = up("admin: unix:/a.sock\nservices: [{name: a, command: [b]}]\n", {});
  ASSERT_FALSE(settings.has_value());
  EXPECT_NE(problems_text(settings.error()).find("want HOST:PORT"), std::string::npos);
}

TEST(BellowsFile, ReportsEveryProblemWithItsLine) {
  const std::string_view yaml =
      "lisen: 127.0.0.1:8080\n"           // 1
      "target: 5\n"                       // 2
      "defaults:\n"                       // 3
      "  windw: 60s\n"                    // 4
      "  listen: 127.0.0.1:1\n"           // 5
      "services:\n"                       // 6
      "- name: Web\n"                     // 7
      "  command: python3 -m x\n"         // 8
      "  targt: 10\n"                     // 9
      "  listen: 127.0.0.1:2\n"           // 10
      "  host: web.localhost:8080\n"      // 11
      "  path-prefix: api/\n"             // 12
      "  settings: {target: 0}\n"         // 13
      "- command: []\n"                   // 14
      "  working-directory: \"\"\n"       // 15
      "  environment: {PORT: 80, A: }\n"  // 16
      "  min-scale: [1]\n"                // 17
      "  max-scale:\n";                   // 18
  EXPECT_EQ(
      problems(up(yaml, {flags({{"admin", "x"}})})),
      (Strings{
          "b.yaml:1: lisen: unknown in a settings file; did you mean listen?",
          "b.yaml:2: target: it is a setting of a service; want it there or under defaults",
          "b.yaml:4: windw: unknown in defaults; did you mean window?",
          "b.yaml:5: listen: it is a setting of all services; want it at the top of the file",
          "b.yaml:7: name: \"Web\": want 1 to 63 letters a-z, digits and inner hyphens, such as "
          "web "
          "or api-2",
          "b.yaml:9: targt: unknown in a service; did you mean target?",
          "b.yaml:10: listen: it is a setting of all services; want it at the top of the file",
          "b.yaml:11: host: \"web.localhost:8080\": want a host name without port, such as "
          "web.localhost, a wildcard, such as *.web.localhost, or nothing",
          "b.yaml:12: path-prefix: \"api/\": want a path that starts with / and does not end with "
          "it, such as /api, or nothing",
          "b.yaml:8: command: \"python3 -m x\": want a list: [python3, -m, x]",
          "b.yaml:15: working-directory: \"\": want a directory",
          "b.yaml:16: environment PORT: it is set by Bellows, a different port for "
          "every replica; want it left out",
          "b.yaml:16: environment A: want a text (\"\" for an empty one)",
          "b.yaml:17: min-scale: want one value: a whole number from 0 to 100000000",
          "b.yaml:18: max-scale: want one value: a whole number from 0 to 100000000",
          "b.yaml:14: name: it is missing; want 1 to 63 letters a-z, digits and inner hyphens, "
          "such "
          "as web or api-2",
          "b.yaml:14: command: want a list: [python3, -m, http.server, --bind, 127.0.0.1, "
          "\"$PORT\"]",
          "b.yaml:13: target: \"0\": want a number from 0.01 to 1000000000",
          "--admin: \"x\": want HOST:PORT"}));
}

TEST(BellowsFile, ReportsAProblemOfSharedSettingsOnce) {
  const auto settings =
      up("defaults: {target: none}\n"
         "services:\n"
         "- {name: a, command: [x], host: a}\n"
         "- {name: b, command: [x], host: b}\n",
         {flags({{"window", "1s"}})});
  EXPECT_EQ(
      problems(settings),
      (Strings{"b.yaml:1: target: \"none\": want a number from 0.01 to 1000000000",
               "--window: \"1s\": want a duration (90s, 1m30s) from 2s to 1h, in whole seconds"}));
}

TEST(BellowsFile, AppliesRulesToEachServiceAsAWhole) {
  const auto settings =
      up("defaults: {min-scale: 5}\n"
         "services:\n"
         "- {name: a, command: [x], host: a, max-scale: 10}\n"
         "- {name: b, command: [x], host: b, max-scale: 2}\n");
  EXPECT_EQ(problems(settings),
            (Strings{"b.yaml:1: min-scale: \"5\" together with max-scale \"2\" (b.yaml:4: "
                     "max-scale): want min-scale at most max-scale, or max-scale 0 (no limit)"}));
}

TEST(BellowsFile, RejectsASettingInBothPlacesOfAService) {
  const auto settings =
      up("services:\n- name: a\n  command: [x]\n  target: 1\n  settings: {target: 2}\n");
  EXPECT_EQ(problems(settings), (Strings{"b.yaml:5: target: \"2\": the same setting is set in "
                                         "b.yaml:4: target already; want it once"}));
}

TEST(BellowsFile, RejectsTwoServicesWithTheSameNameOrRoute) {
  const auto settings =
      up("services:\n"
         "- {name: a, command: [x], host: shop.localhost, path-prefix: /api}\n"
         "- {name: b, command: [x], host: Shop.LocalHost, path-prefix: /api}\n"
         "- {name: a, command: [x], host: shop.localhost}\n");
  EXPECT_EQ(
      problems(settings),
      (Strings{"b.yaml:3: service b: takes host shop.localhost and path-prefix /api, as "
               "service a in line 2 does; want another host, path-prefix or headers",
               "b.yaml:4: name: \"a\": want another name than that of the service in line 2"}));
}

TEST(BellowsFile, AllowsServicesToShareAHostOrAPrefixButNotBoth) {
  EXPECT_TRUE(up("services:\n"
                 "- {name: a, command: [x], host: h}\n"
                 "- {name: b, command: [x], host: h, path-prefix: /p}\n"
                 "- {name: c, command: [x], path-prefix: /p}\n"
                 "- {name: d, command: [x]}\n")
                  .has_value());
}

TEST(BellowsFile, ReportsWhatIsMissing) {
  EXPECT_EQ(problems(up("")),
            (Strings{"b.yaml:1: services: want a map with the key services at the top"}));
  EXPECT_EQ(problems(up("[a]")),
            (Strings{"b.yaml:1: services: want a map with the key services at the top"}));
  EXPECT_EQ(problems(up("listen: 127.0.0.1:1")),
            (Strings{"b.yaml:1: services: it is missing; want a list of services"}));
  EXPECT_EQ(problems(up("services: []")),
            (Strings{"b.yaml:1: services: want a list with at least one service (- name: web)"}));
  EXPECT_EQ(problems(up("services: {web: {}}")),
            (Strings{"b.yaml:1: services: want a list with at least one service (- name: web)"}));
  EXPECT_EQ(problems(up("services:\n- web\n")),
            (Strings{"b.yaml:2: services: want a map with name and command for each service"}));
}

TEST(BellowsFile, NeedsAProgramAndTextsInACommand) {
  const auto refused = [](const std::string& command) {
    return problems(up("services:\n- {name: a, command: " + command + "}\n"));
  };
  EXPECT_EQ(refused("[\"\"]"),
            (Strings{"b.yaml:2: command: \"\": want a program as the first item"}));
  EXPECT_EQ(refused("[a, [b], ]").size(), 1U);
  EXPECT_EQ(refused("[a, ~]").size(), 1U);
  EXPECT_EQ(refused("{a: b}").size(), 1U);
  EXPECT_EQ(refused("").size(), 1U);
}

TEST(SingleService, IsTheCommandAfterTheDashes) {
  RunSettings settings;
  settings.name = RevisionId("shop");
  settings.revision.target = 3;
  const auto service = single_service(settings, {"app", "$PORT"});
  ASSERT_TRUE(service.has_value());
  EXPECT_EQ(service->name.text(), "shop");
  EXPECT_EQ(service->command, (Strings{"app", "$PORT"}));
  EXPECT_EQ(service->settings.target, 3);
  EXPECT_EQ(problems(single_service(settings, {})),
            (Strings{"COMMAND: it is missing; want it after --, as in: bellows run -- ./app --port "
                     "'$PORT'"}));
  EXPECT_FALSE(single_service(settings, {""}).has_value());
}

/// How often settings were resolved for a file with these services.
std::size_t resolutions(std::string_view yaml) {
  const auto document = yaml::parse_document("b.yaml", yaml);
  std::size_t count = 0;
  const auto settings = read_bellows_file(*document, {}, [&count](const RevisionSettings&) {
    ++count;
    return Result<void>();
  });
  EXPECT_TRUE(settings.has_value()) << problems_text(settings.error());
  return count;
}

TEST(BellowsFileOfThousandsOfServices, ResolvesTheSameSettingsOnce) {
  std::string yaml = "defaults: {window: 30s}\nservices:\n";
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "s" + std::to_string(i);
    yaml += "- {name: " + name + ", command: [app], host: " + name +
            ".localhost, target: " + std::to_string(1 + i % 2) + "}\n";
  }
  EXPECT_EQ(resolutions(yaml), 2U);
}

TEST(BellowsFileOfThousandsOfServices, NamesAProblemOfEachOfThem) {
  const auto settings =
      up("services:\n"
         "- {name: a, command: [app], host: a.localhost, target: 0}\n"
         "- {name: b, command: [app], host: b.localhost, target: 0}\n");
  ASSERT_FALSE(settings.has_value());
  EXPECT_EQ(settings.error().size(), 2U) << problems_text(settings.error());
}

TEST(BellowsFile, AServiceIsStartedAndStoppedByCommands) {
  const auto checked =
      up("services:\n"
         "  - name: unit\n"
         "    start: [systemctl, start, shop]\n"
         "    stop: [systemctl, stop, shop]\n"
         "    port: 3000\n"
         "  - name: box\n"
         "    path-prefix: /box\n"
         "    command: [podman, run, box]\n"
         "    stop: [podman, stop, box]\n");
  ASSERT_TRUE(checked) << problems_text(checked.error());
  const UpSettings& read = *checked;
  ASSERT_EQ(read.services.size(), 2U);
  const Service& unit = read.services[0];
  EXPECT_TRUE(unit.is_starter);
  EXPECT_EQ(unit.command, (Strings{"systemctl", "start", "shop"}));
  EXPECT_EQ(unit.stop, (Strings{"systemctl", "stop", "shop"}));
  EXPECT_EQ(unit.settings.port, 3000);
  EXPECT_EQ(unit.settings.max_scale, 1) << "two apps cannot have one port";
  EXPECT_FALSE(read.services[1].is_starter);
  EXPECT_EQ(read.services[1].stop, (Strings{"podman", "stop", "box"}));
  EXPECT_EQ(read.services[1].settings.max_scale, 8);
}

TEST(BellowsFile, CommandsThatDoNotFitTogetherAreNamed) {
  EXPECT_EQ(
      problems(up("services:\n"
                  "  - name: a\n"
                  "    command: [a]\n"
                  "    start: [b]\n"
                  "    stop: [c]\n"
                  "  - name: b\n"
                  "    path-prefix: /b\n"
                  "    start: [b]\n"
                  "  - name: c\n"
                  "    path-prefix: /c\n"
                  "    stop: c d\n"
                  "    command: [c]\n")),
      (Strings{"b.yaml:4: start: the service has a command too; want one of them",
               "b.yaml:8: start: want stop too, a list: the command that ends what it started",
               "b.yaml:11: stop: \"c d\": want a list: [c, d]"}));
}

TEST(BellowsFile, AFixedPortHasOneOwnerAndOneReplica) {
  EXPECT_EQ(
      problems(up("services:\n"
                  "  - {name: a, command: [a], port: 3000, max-scale: 2}\n")),
      (Strings{"b.yaml:2: max-scale: \"2\" together with port \"3000\" (b.yaml:2: port): want "
               "max-scale 1 with a fixed port, or no port and an app that takes $PORT"}));
  EXPECT_EQ(problems(up("services:\n"
                        "  - {name: a, command: [a], port: 3000}\n"
                        "  - {name: b, command: [b], port: 3000, path-prefix: /b}\n"
                        "  - {name: c, command: [c], port: 8081, path-prefix: /c}\n")),
            (Strings{"b.yaml:3: service b: port: \"3000\": service a has it; want another one",
                     "b.yaml:4: service c: port: \"8081\": admin has it; want another one"}));
}

TEST(BellowsFile, NumbersOfAllServicesYieldToAFixedPort) {
  const std::string services =
      "services:\n"
      "  - {name: a, command: [a], port: 3000}\n"
      "  - {name: b, command: [b], path-prefix: /b}\n";
  const UpSettings read =
      *up("defaults: {max-scale: 4, min-scale: 2, initial-scale: 3}\n" + services);
  EXPECT_EQ(read.services[0].settings.max_scale, 1);
  EXPECT_EQ(read.services[0].settings.min_scale, 1);
  EXPECT_EQ(read.services[0].settings.initial_scale, 1);
  EXPECT_EQ(read.services[1].settings.max_scale, 4);
  EXPECT_EQ(read.services[1].settings.min_scale, 2);

  EXPECT_EQ(up("defaults: {max-scale: 0}\n" + services)->services[0].settings.max_scale, 1);
  EXPECT_EQ(problems(up("defaults: {max-scale: many}\n" + services)).size(), 1U);
  EXPECT_EQ(problems(up("defaults: {port: 3000}\n"
                        "services:\n"
                        "  - {name: a, command: [a], max-scale: 4}\n"))
                .size(),
            1U)
      << "the service itself has the number";
}

}  // namespace
}  // namespace bellows::config
