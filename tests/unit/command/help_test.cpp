#include "command/help.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string_view>

#include "tests/unit/command/sample_program.hpp"

namespace bellows::command {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Help, TheOverviewListsTheCommandsInColumns) {
  EXPECT_THAT(overview(kSample), HasSubstr("\n  show      Show something\n  replay    Replay "
                                           "something\n  version   Print the version\n"));
}

TEST(Help, ACommandsHelpHasSynopsisSummaryDetailsAndFlags) {
  const std::string help = command_help(kSample, kSampleCommands[0]);
  EXPECT_TRUE(help.starts_with(
      "usage: sample show [NAME] [flags]\n\nShow something.\n\n  sample show web\n"))
      << help;
  EXPECT_THAT(help, HasSubstr("\n  --once"));
  EXPECT_THAT(help, HasSubstr("BELLOWS_ONCE"));
}

TEST(Help, ACommandThatReadsNoEnvironmentNamesNoVariable) {
  const std::string help = command_help(kSample, kSampleSubcommands[0]);
  EXPECT_THAT(help, HasSubstr("\n  --once"));
  EXPECT_THAT(help, Not(HasSubstr("BELLOWS_")));
}

/// The settings of the sample; all but `once` are for tuning.
const Declarations& tiered_settings() {
  static const Declarations tiered = [] {
    Declarations settings = sample_settings();
    for (config::Declaration& setting : settings) {
      if (setting.name != "once") setting.tier = config::Tier::kTuning;
    }
    return settings;
  }();
  return tiered;
}

Command with_tiers() {
  Command command = kSampleCommands[0];
  command.settings = tiered_settings;
  return command;
}

TEST(Help, OfManySettingsTheMainOnesAreDescribedAndTheGroupsCounted) {
  const std::string help = command_help(kSample, with_tiers());
  EXPECT_THAT(help, HasSubstr("\nMain settings:\n  --once"));
  EXPECT_THAT(help, Not(HasSubstr("--output")));
  EXPECT_THAT(help, HasSubstr("4 settings\n"));
  EXPECT_THAT(help, HasSubstr("`sample show --help WORD` describes those"));
}

TEST(Help, AllOfThemAreDescribedIfAskedFor) {
  const std::string help = command_help(kSample, with_tiers(), {.is_all = true, .word = {}});
  EXPECT_THAT(help, HasSubstr("--once"));
  EXPECT_THAT(help, HasSubstr("--output"));
}

TEST(Help, AWordChoosesSettingsByTheirName) {
  const std::string help = command_help(kSample, with_tiers(), {.is_all = false, .word = "OUT"});
  EXPECT_THAT(help, HasSubstr("--output"));
  EXPECT_THAT(help, Not(HasSubstr("--once")));
  EXPECT_THAT(settings_about(with_tiers(), "nonsense"), testing::IsEmpty());
}

TEST(Help, AWordChoosesSettingsByTheirOtherNames) {
  const auto named = [](std::string alias) {
    Command command = kSampleCommands[0];
    static Declarations settings;
    settings = sample_settings();
    settings.front().aliases = {std::move(alias)};
    command.settings = []() -> const Declarations& { return settings; };
    return settings_about(command, "quiet-time").size();
  };
  EXPECT_EQ(named("quiet-time"), 1U);
  EXPECT_EQ(named("example.dev/quiet-time"), 1U);
  EXPECT_EQ(named("quiet-time.dev/once"), 0U);
}

TEST(Help, ListedSettingsStandInForAll) {
  Command command = kSampleCommands[0];
  command.listed_settings = no_settings;
  EXPECT_THAT(command_help(kSample, command), Not(HasSubstr("--once")));
}

}  // namespace
}  // namespace bellows::command
