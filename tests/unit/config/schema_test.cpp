#include "config/schema.hpp"

#include <gtest/gtest.h>

#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

enum class Colour { kRed, kBlue };

struct Oven {
  std::int32_t trays = 2;
  std::int32_t max_trays = 4;
  std::optional<double> heat;
  Duration preheat = 5min;
  Colour door = Colour::kRed;
  RevisionId model{"basic"};
  bool lit = false;
};

Schema<Oven> oven_schema() {
  Schema<Oven> schema;
  schema.group("Oven");
  schema.add(&Oven::trays, {.name = "trays", .aliases = {"sheets"}, .bounds = between(1, 10)});
  schema.add(&Oven::max_trays, {.name = "most-trays", .bounds = at_least(1)});
  schema.add(&Oven::heat, {.name = "heat", .variable = "OVEN_HEAT", .bounds = above(20)});
  schema.add(&Oven::preheat, {.name = "preheat", .aliases = {"preheat-seconds"}});
  schema.add_choice(&Oven::door, {{"red", Colour::kRed}, {"blue", Colour::kBlue}},
                    {.name = "door"});
  schema.add(&Oven::model, {.name = "model"});
  schema.add(&Oven::lit, {.name = "lit"});
  schema.add_rule({{"trays", "most-trays"},
                   [](const Oven& oven) { return oven.trays <= oven.max_trays; },
                   "trays at most most-trays"});
  return schema;
}

Layer environment(const Environment& variables) {
  return environment_layer(oven_schema().declarations(), variables);
}

TEST(Schema, ReturnsTheDefaultsOfTheStructWithoutLayers) {
  const auto oven = oven_schema().apply({});
  ASSERT_TRUE(oven.has_value());
  EXPECT_EQ(oven->trays, 2);
  EXPECT_EQ(oven->heat, std::nullopt);
  EXPECT_EQ(oven->preheat, 5min);
  EXPECT_EQ(oven->model.text(), "basic");
}

TEST(Schema, OverridesTheFileByTheEnvironmentAndBothByFlags) {
  const Schema<Oven> schema = oven_schema();
  const Layer low = file({{"trays", "3"}, {"heat", "100"}, {"door", "blue"}});
  const Layer middle = environment({{"OVEN_HEAT", "150"}, {"BELLOWS_TRAYS", "4"}});
  const Layer high = flags({{"trays", "1"}});

  const auto oven = schema.apply({low, middle, high});

  ASSERT_TRUE(oven.has_value());
  EXPECT_EQ(oven->trays, 1);
  EXPECT_EQ(oven->heat, 150);
  EXPECT_EQ(oven->door, Colour::kBlue);
}

TEST(Schema, ReadsEveryKindOfMember) {
  const auto oven = oven_schema().apply({flags({{"trays", "3"},
                                                {"heat", "180.5"},
                                                {"preheat", "90s"},
                                                {"door", "blue"},
                                                {"model", "pro"},
                                                {"lit", "true"}})});
  ASSERT_TRUE(oven.has_value());
  EXPECT_EQ(oven->trays, 3);
  EXPECT_EQ(oven->heat, 180.5);
  EXPECT_EQ(oven->preheat, 90s);
  EXPECT_EQ(oven->door, Colour::kBlue);
  EXPECT_EQ(oven->model.text(), "pro");
  EXPECT_TRUE(oven->lit);
}

TEST(Schema, ReportsEveryProblemOfEveryLayerTogether) {
  const auto oven = oven_schema().apply({file({{"trays", "0"}, {"haet", "30"}, {"lit", "on"}}),
                                         environment({{"OVEN_HEAT", "20"}}),
                                         flags({{"colour", "red"}, {"preheat", "5"}})});
  EXPECT_EQ(problems(oven), (Strings{"b.yaml:1: trays: \"0\": want a whole number from 1 to 10",
                                     "b.yaml:2: haet: unknown setting; did you mean heat?",
                                     "b.yaml:3: lit: \"on\": want true or false",
                                     "environment OVEN_HEAT: \"20\": want a number > 20",
                                     "--colour: unknown setting",
                                     "--preheat: \"5\": want a duration (90s, 1m30s)"}));
}

TEST(Schema, ReportsAProblemEvenIfALaterLayerIsValid) {
  const auto oven = oven_schema().apply({file({{"trays", "x"}}), flags({{"trays", "2"}})});
  EXPECT_EQ(problems(oven), (Strings{"b.yaml:1: trays: \"x\": want a whole number from 1 to 10"}));
}

TEST(Schema, SuggestsTheFlagOrVariableThatWasMeant) {
  EXPECT_EQ(problems(oven_schema().apply({flags({{"mostTrays", "1"}})})),
            (Strings{"--mostTrays: unknown setting; did you mean --most-trays?"}));
  EXPECT_EQ(problems(oven_schema().apply({environment({{"BELLOWS_TRYAS", "1"}})})),
            (Strings{"environment BELLOWS_TRYAS: unknown setting; did you mean BELLOWS_TRAYS?"}));
  EXPECT_EQ(
      problems(oven_schema().apply({file({{"autoscaling.knative.dev/haet", "1"}})})),
      (Strings{"b.yaml:1: autoscaling.knative.dev/haet: unknown setting; did you mean heat?"}));
}

TEST(Schema, RejectsASettingTwiceInOneLayerUnderAnyName) {
  const auto oven = oven_schema().apply({file({{"trays", "1"}, {"sheets", "2"}})});
  EXPECT_EQ(problems(oven), (Strings{"b.yaml:2: sheets: \"2\": the same setting is set in "
                                     "b.yaml:1: trays already; want it once"}));
}

TEST(Schema, RejectsAVariableNameInFilesAndFlags) {
  EXPECT_EQ(problems(oven_schema().apply({flags({{"OVEN_HEAT", "50"}})})),
            (Strings{"--OVEN_HEAT: unknown setting"}));
}

TEST(SchemaRule, NamesBothValuesAndWhereTheyComeFrom) {
  const auto oven = oven_schema().apply({file({{"trays", "3"}}), flags({{"most-trays", "2"}})});
  EXPECT_EQ(problems(oven), (Strings{"b.yaml:1: trays: \"3\" together with most-trays \"2\" "
                                     "(--most-trays): want trays at most most-trays"}));
}

TEST(SchemaRule, BlamesTheSettingThatWasSetExplicitly) {
  const auto oven = oven_schema().apply({flags({{"most-trays", "1"}})});
  EXPECT_EQ(problems(oven), (Strings{"--most-trays: \"1\" together with trays \"2\" (the default): "
                                     "want trays at most most-trays"}));
}

TEST(SchemaRule, IsNotCheckedForInvalidValues) {
  const auto oven = oven_schema().apply({flags({{"trays", "7"}, {"most-trays", "few"}})});
  EXPECT_EQ(problems(oven),
            (Strings{"--most-trays: \"few\": want a whole number from 1 to 2147483647"}));
}

struct Kitchen {
  Oven oven{.trays = 3, .heat = 50};
  std::string address;
};

TEST(SchemaInclude, IncludesSettingsAndRulesWithItsOwnDefaults) {
  Schema<Kitchen> schema;
  schema.include(&Kitchen::oven, oven_schema());
  schema.add(&Kitchen::address, {.name = "address", .required = true});

  EXPECT_EQ(schema.declarations().front().default_text, "3");
  EXPECT_EQ(schema.declarations().front().group, "Oven");
  const auto kitchen = schema.apply({flags({{"sheets", "4"}, {"address", "here"}})});
  ASSERT_TRUE(kitchen.has_value());
  EXPECT_EQ(kitchen->oven.trays, 4);
  EXPECT_EQ(kitchen->oven.heat, 50);
  EXPECT_EQ(problems(schema.apply({flags({{"trays", "5"}, {"address", "here"}})})),
            (Strings{"--trays: \"5\" together with most-trays \"4\" (the default): want trays at "
                     "most most-trays"}));
}

TEST(SchemaRequired, NamesTheFlagAndVariableOfAMissingSetting) {
  Schema<Kitchen> schema;
  schema.add(&Kitchen::address, {.name = "address", .required = true});
  EXPECT_EQ(problems(schema.apply({})),
            (Strings{"--address (environment BELLOWS_ADDRESS): it is missing; want text"}));
  EXPECT_EQ(
      problems(schema.apply({environment_layer(schema.declarations(), {{"BELLOWS_ADDRESS", ""}})})),
      (Strings{"--address (environment BELLOWS_ADDRESS): it is missing; want text"}));
}

TEST(SchemaTexts, AreTheDifferencesFromTheDefaults) {
  Oven oven;
  oven.preheat = 90s;
  oven.door = Colour::kBlue;
  using Texts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(oven_schema().texts(oven), (Texts{{"preheat", "1m30s"}, {"door", "blue"}}));
  EXPECT_EQ(oven_schema().texts(Oven()), Texts());
}

TEST(SchemaChanges, AreTheSettingsThatDifferAsText) {
  Oven oven;
  oven.preheat = 90s;
  oven.door = Colour::kBlue;
  const std::vector<Change> changes = oven_schema().changes(Oven(), oven);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].name, "preheat");
  EXPECT_EQ(changes[0].after, "1m30s");
  EXPECT_EQ(changes[1].name, "door");
  EXPECT_EQ(changes[1].after, "blue");
  EXPECT_TRUE(oven_schema().changes(oven, oven).empty());
}

TEST(SchemaChanges, HaveTheOldAndTheNewValue) {
  EXPECT_EQ(changes_text({{"target", "10", "20"}, {"activation-scale", "", "3"}}),
            "target 10 -> 20, activation-scale (unset) -> 3");
}

TEST(Problems, ArePrintedOnePerLine) {
  EXPECT_EQ(problems_text(oven_schema().apply({flags({{"a", "1"}, {"b", "1"}})}).error()),
            "-a: unknown setting\n-b: unknown setting\n");
}

}  // namespace
}  // namespace bellows::config
