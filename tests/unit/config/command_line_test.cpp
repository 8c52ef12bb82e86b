#include "config/command_line.hpp"

#include <gtest/gtest.h>

#include "config/queue_proxy_settings.hpp"
#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

using Strings = std::vector<std::string>;

struct Lamp {
  double heat = 1;
  bool lit = false;
  std::string colour;
};

Schema<Lamp> lamp_schema() {
  Schema<Lamp> schema;
  schema.group("Lamp");
  schema.add(&Lamp::heat, {.name = "heat", .help = "How hot."});
  schema.add(&Lamp::lit, {.name = "lit", .help = "Whether it is on."});
  schema.add(&Lamp::colour, {.name = "colour", .help = "Of the light."});
  return schema;
}

Checked<Lamp> lamp(const Strings& words) {
  const auto schema = lamp_schema();
  return schema.apply({read_command_line("lamp", "A lamp.", schema.declarations(), words).flags});
}

TEST(CommandLine, ReadsValuesAfterABlankOrAnEqualsSign) {
  const auto settings = lamp({"--heat", "-3.5", "--colour=a=b", "--lit"});
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());
  EXPECT_EQ(settings->heat, -3.5);
  EXPECT_EQ(settings->colour, "a=b");
  EXPECT_TRUE(settings->lit);
}

TEST(CommandLine, SetsAFlagToFalse) {
  EXPECT_FALSE(lamp({"--lit=false"})->lit);
  EXPECT_FALSE(lamp({"--lit", "false"})->lit);
}

TEST(CommandLine, RefusesWordsThatOtherProgramsReadAsTrueOrFalse) {
  EXPECT_EQ(problems(lamp({"--lit", "on"})), Strings{"--lit: \"on\": want true or false"});
  EXPECT_EQ(problems(lamp({"--lit", "no"})), Strings{"--lit: \"no\": want true or false"});
}

TEST(CommandLine, LeavesProblemsToTheSchemaSoThatAllAreReportedTogether) {
  EXPECT_EQ(
      problems(
          lamp({"on", "--haet", "3", "--heat", "--colour", "red", "--colour", "blue", "--heat"})),
      (Strings{"argument on: want --NAME VALUE", "--haet: unknown setting; did you mean --heat?",
               "--heat: its value is missing; want a number",
               "--colour: \"blue\": the same setting is set in --colour already; want it once",
               "--heat: \"\": the same setting is set in --heat already; want it once"}));
}

TEST(CommandLine, ReadsAWordAfterASwitchOnlyIfItIsTrueOrFalse) {
  const auto read = [](const std::vector<std::string>& words) {
    std::string text;
    for (const Entry& entry :
         read_command_line("lamp", "A lamp.", lamp_schema().declarations(), words).flags) {
      text += origin(entry) + "=" + entry.value + " ";
    }
    return text;
  };
  EXPECT_EQ(read({"--lit", "false", "--heat", "3"}), "--lit=false --heat=3 ");
  EXPECT_EQ(read({"--lit", "true"}), "--lit=true ");
  EXPECT_EQ(read({"--lit", "hall"}), "--lit=true argument hall= ") << "a word of its own";
}

TEST(CommandLine, DoesNotReadTheNextFlagAsAMissingValue) {
  EXPECT_EQ(problems(lamp({"--colour", "--lit"})),
            (Strings{"--colour: its value is missing; want text"}));
}

TEST(CommandLine, AnswersHelp) {
  for (const char* word : {"--help", "-h"}) {
    const CommandLine line =
        read_command_line("lamp", "A lamp.", lamp_schema().declarations(), {"--heat", "3", word});
    EXPECT_EQ(
        line.help,
        "Usage: lamp [--NAME VALUE ...] | --help | --version\n"
        "A lamp.\n"
        "In parentheses: the default, and the environment variable that may set it; a flag wins.\n"
        "\n"
        "Lamp:\n"
        "  --heat NUMBER\n"
        "      How hot. Want a number. (default 1; BELLOWS_HEAT)\n"
        "  --lit\n"
        "      Whether it is on. (default false; BELLOWS_LIT)\n"
        "  --colour TEXT\n"
        "      Of the light. Want text. (default: nothing; BELLOWS_COLOUR)\n");
  }
}

TEST(CommandLineText, IsWhatAShellWouldTakeAgain) {
  EXPECT_EQ(command_line_text("bellows simulate", {flag("trace", "my file.csv"),
                                                   flag("policy", "bellows,knative:window=30s"),
                                                   flag("json", "true"), flag("o", "wide")}),
            "bellows simulate --trace 'my file.csv' --policy bellows,knative:window=30s --json -o "
            "wide");
  EXPECT_EQ(command_line_text("x", {flag("a", "it's"), flag("b", "")}), "x -a 'it'\\''s' -b ''");
}

}  // namespace
}  // namespace bellows::config
