#include "command/help.hpp"

#include <gmock/gmock.h>

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

TEST(Help, ListedSettingsStandInForAll) {
  Command command = kSampleCommands[0];
  command.listed_settings = no_settings;
  EXPECT_THAT(command_help(kSample, command), Not(HasSubstr("--once")));
}

}  // namespace
}  // namespace bellows::command
