// What holds for the settings of every program.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "config/activator_settings.hpp"
#include "config/autoscaler_settings.hpp"
#include "config/queue_proxy_settings.hpp"
#include "config/recommender_program_settings.hpp"
#include "config/recommender_settings.hpp"
#include "config/run_settings.hpp"
#include "config/suggestion.hpp"
#include "config/table.hpp"
#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;
using Named = std::map<std::string, std::vector<Declaration>>;

Named programs() {
  return {{"activator", activator_schema().declarations()},
          {"autoscaler", autoscaler_schema().declarations()},
          {"queue-proxy", queue_proxy_schema().declarations()},
          {"recommender", recommender_schema().declarations()},
          {"recommender serve", recommender_program_schema().declarations()},
          {"run", run_schema().declarations()},
          {"up", up_schema().declarations()}};
}

/// Returns the name of a row in a program: `run` and `up` have those of the recommender's policies
/// with a prefix.
std::string name_in(Program program, Programs programs, std::string_view name) {
  const bool is_machine = program == Program::kRun || program == Program::kUp;
  const bool is_policy = programs.contain(Program::kRecommender);
  return (is_machine && is_policy ? kRecommenderPrefix : "") + std::string(name);
}

const std::vector<std::pair<Program, const std::vector<Declaration>*>>& views() {
  static const std::vector<std::pair<Program, const std::vector<Declaration>*>> all = {
      {Program::kService, &revision_schema().declarations()},
      {Program::kRun, &run_schema().declarations()},
      {Program::kUp, &up_schema().declarations()},
      {Program::kQueueProxy, &queue_proxy_schema().declarations()},
      {Program::kActivator, &activator_schema().declarations()},
      {Program::kAutoscaler, &autoscaler_schema().declarations()},
      {Program::kRecommender, &recommender_schema().declarations()},
      {Program::kRecommenderServe, &recommender_program_schema().declarations()}};
  return all;
}

TEST(SettingsTable, EachProgramHasTheRowsThatNameItAndNoOthers) {
  for (const auto& [program, declarations] : views()) {
    std::set<std::string> named;
    each_row([&, &program = program, &declarations = declarations](const Group& group,
                                                                   const Setting& row) {
      const Programs programs = programs_of(group, row);
      if (!programs.contain(program)) return;
      const std::string name = name_in(program, programs, row.name);
      EXPECT_TRUE(named.insert(name).second) << name << " has two rows";
      const Declaration* const declared = find(*declarations, name);
      ASSERT_NE(declared, nullptr) << name;
      EXPECT_EQ(declared->help, row.help) << name;
    });
    EXPECT_EQ(named.size(), declarations->size());
  }
}

TEST(SettingsTable, ANameHasOneTier) {
  each_row(
      [](const Group&, const Setting& row) { EXPECT_EQ(row.tier, tier_of(row.name)) << row.name; });
}

TEST(EveryProgram, HasHelpForEachSetting) {
  for (const auto& [program, declarations] : programs()) {
    for (const Declaration& declaration : declarations) {
      const std::string which = program + " " + declaration.name;
      EXPECT_TRUE(declaration.help.ends_with('.')) << which;
      EXPECT_FALSE(declaration.group.empty()) << which;
      EXPECT_NE(declaration.help.find_first_not_of("|\n"), std::string::npos) << which;
    }
  }
}

TEST(EveryProgram, UsesANameForOneSettingOnly) {
  for (const auto& [program, declarations] : programs()) {
    std::set<std::string> seen;
    for (const Declaration& declaration : declarations) {
      Strings spellings = declaration.aliases;
      spellings.push_back(declaration.name);
      spellings.push_back(declaration.variable);
      for (const std::string& spelling : spellings) {
        EXPECT_TRUE(seen.insert(spelling).second) << program << " " << spelling;
      }
    }
  }
}

TEST(EveryProgram, HasValidDefaults) {
  EXPECT_TRUE(run_schema().apply({}).has_value());
  EXPECT_TRUE(up_schema().apply({}).has_value());
  EXPECT_TRUE(queue_proxy_schema().apply({flags({{"user-port", "1"}})}).has_value());
}

// A variable of one program that stays in the environment of another must not count as misspelt
// there.
TEST(EveryProgram, IgnoresTheVariablesOfTheOthers) {
  for (const auto& [program, declarations] : programs()) {
    for (const auto& [other, theirs] : programs()) {
      for (const Declaration& declaration : theirs) {
        for (const Entry& entry : environment_layer(declarations, {{declaration.variable, "1"}})) {
          const bool is_shared =
              std::any_of(declarations.begin(), declarations.end(),
                          [&](const Declaration& ours) { return ours.variable == entry.key; });
          EXPECT_TRUE(is_shared) << entry.key << " of " << other << " is near one of " << program;
        }
      }
    }
  }
}

TEST(ActivatorSettings, NeedAnAutoscaler) {
  EXPECT_EQ(problems(activator_schema().apply({})),
            (Strings{"--autoscaler (environment BELLOWS_AUTOSCALER): it is missing; want "
                     "ws://HOST:PORT/PATH"}));
}

TEST(ActivatorSettings, RejectValuesOutOfBounds) {
  const auto accepts = [](const std::string& key, const std::string& value) {
    const Layer min = file({{"autoscaler", "ws://a:1"}});
    return activator_schema().apply({min, flags({{key, value}})}).has_value();
  };
  EXPECT_TRUE(accepts("listen", "127.0.0.1:0"));
  EXPECT_FALSE(accepts("listen", "127.0.0.1"));
  EXPECT_FALSE(accepts("autoscaler", ""));
  EXPECT_FALSE(accepts("name", "A"));
  EXPECT_TRUE(accepts("max-header-bytes", "1Mi"));
  EXPECT_TRUE(accepts("drain-timeout", "0s"));
  EXPECT_FALSE(accepts("drain-timeout", "25h"));
}

TEST(ActivatorSettings, NameItAfterItsPod) {
  ActivatorSettings settings;
  EXPECT_EQ(source_name(settings, "bellows-activator-7d9f8-x2k4p", 1).text(),
            "bellows-activator-7d9f8-x2k4p");
  EXPECT_EQ(source_name(settings, "", 4711).text(), "activator-4711");
  settings.name = PodName("front");
  EXPECT_EQ(source_name(settings, "bellows-activator-7d9f8-x2k4p", 1).text(), "front");
}

// A user who sets BELLOWS_WINDOW for `bellows run` may also start `recommender serve`.
TEST(EveryProgram, ReadsASharedVariableInTheSameWay) {
  std::map<std::string, Declaration> first;
  for (const auto& [program, declarations] : programs()) {
    for (const Declaration& declaration : declarations) {
      const Declaration& same = first.try_emplace(declaration.variable, declaration).first->second;
      EXPECT_EQ(same.kind, declaration.kind) << declaration.variable << " of " << program;
      EXPECT_EQ(same.choices, declaration.choices) << declaration.variable << " of " << program;
    }
  }
}

TEST(AutoscalerSettings, HaveAStateFile) {
  const auto settings = autoscaler_schema().apply({flags({{"state-file", "/var/lib/b.json"}})});
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());
  EXPECT_EQ(settings->state_file, "/var/lib/b.json");
  EXPECT_EQ(to_string(settings->listen), "0.0.0.0:8080");
}

TEST(RunSettings, StartOnLoopbackWithTheDefaultsForOneMachine) {
  const auto settings = run_schema().apply({});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(*settings, RunSettings());
  EXPECT_EQ(to_string(settings->listen), "127.0.0.1:8080");
  EXPECT_EQ(to_string(settings->admin), "127.0.0.1:8081");
  EXPECT_EQ(settings->revision, one_machine_settings());
}

TEST(RunSettings, ReadPerServiceSettingsFromFlagsAndEnvironment) {
  const auto& schema = run_schema();
  const auto settings =
      schema.apply({environment_layer(schema.declarations(),
                                      {{"BELLOWS_TARGET", "3"}, {"BELLOWS_MAX_SCALE", "2"}}),
                    flags({{"target", "5"}, {"name", "shop"}, {"quiet", "true"}})});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->revision.target, 5);
  EXPECT_EQ(settings->revision.max_scale, 2);
  EXPECT_EQ(settings->name.text(), "shop");
  EXPECT_TRUE(settings->quiet);
}

TEST(RunSettings, OfOneCommandAreUnknownToTheOther) {
  EXPECT_EQ(problems(run_schema().apply({flags({{"state-file", "a"}})})),
            (Strings{"--state-file: unknown setting"}));
  EXPECT_EQ(problems(up_schema().apply({flags({{"name", "a"}})})),
            (Strings{"--name: unknown setting"}));
}

}  // namespace
}  // namespace bellows::config
