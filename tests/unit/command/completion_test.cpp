#include "command/completion.hpp"

#include <gmock/gmock.h>

#include "tests/unit/command/sample_program.hpp"

namespace bellows::command {
namespace {

using testing::HasSubstr;

TEST(Completion, BashCompletesCommandsSubcommandsAndTheirFlags) {
  const std::string script = bash_completion(kSample);
  EXPECT_THAT(script, HasSubstr("compgen -W \"show replay version\""));
  EXPECT_THAT(script,
              HasSubstr("\"${COMP_WORDS[1]}\" = replay ]; then\n    COMPREPLY=($(compgen -W "
                        "\"lines\""));
  EXPECT_THAT(script, HasSubstr("    show) flags=\"--help --output --once --at\" ;;\n"));
  EXPECT_THAT(script,
              HasSubstr("    \"replay lines\") flags=\"--help --output --once --at\" ;;\n"));
  EXPECT_THAT(script, HasSubstr("complete -F _sample sample\n"));
}

TEST(Completion, ZshRunsTheBashScript) {
  const std::string script = zsh_completion(kSample);
  EXPECT_TRUE(script.starts_with("#compdef sample\n"));
  EXPECT_TRUE(script.ends_with(bash_completion(kSample)));
}

TEST(Completion, FishCompletesCommandsSubcommandsAndTheirFlags) {
  const std::string script = fish_completion(kSample);
  EXPECT_THAT(script, HasSubstr("complete -c sample -f -n '__fish_use_subcommand' -a 'show replay "
                                "version'\n"));
  EXPECT_THAT(
      script,
      HasSubstr("complete -c sample -f -n '__fish_seen_subcommand_from replay' -a 'lines'\n"));
  EXPECT_THAT(script, HasSubstr("'__fish_seen_subcommand_from lines' -l once\n"));
}

}  // namespace
}  // namespace bellows::command
