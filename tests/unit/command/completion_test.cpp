#include "command/completion.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "tests/unit/command/sample_program.hpp"

namespace bellows::command {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What bash offers after these words, one of them the last, unfinished one.
std::vector<std::string> offered(const std::string& script, const std::vector<std::string>& words) {
  std::string line = script + "\nCOMP_WORDS=(";
  for (const std::string& word : words) line += " '" + word + "'";
  line += "); COMP_CWORD=" + std::to_string(words.size() - 1) +
          "; _sample; printf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const std::string file = testing::TempDir() + "/completion_test_" + std::to_string(::getpid());
  std::ofstream(file) << line;
  std::vector<std::string> lines;
  std::FILE* const output = ::popen(("bash " + file + " 2>&1").c_str(), "r");
  std::array<char, 4096> text{};
  while (std::fgets(text.data(), text.size(), output) != nullptr) {
    lines.emplace_back(text.data());
    lines.back().pop_back();
  }
  ::pclose(output);
  ::unlink(file.c_str());
  return lines;
}

constexpr std::array<Command, 3> kCompleted = {{
    {.name = "show",
     .synopsis = "show [NAME] [flags]",
     .summary = "Show something",
     .settings = sample_settings,
     .run = record_call},
    {.name = "replay",
     .synopsis = "replay COMMAND",
     .summary = "Replay something",
     .subcommands = sample_subcommands},
    kCompletionCommand,
}};
constexpr Program kCompletedProgram{.name = "sample", .about = "Does.\n", .commands = kCompleted};

std::vector<std::string> completed(const std::vector<std::string>& words) {
  return offered(bash_completion(kCompletedProgram), words);
}

TEST(Completion, BashCompletesCommandsAndSubcommands) {
  EXPECT_THAT(completed({"sample", ""}), ElementsAre("show", "replay", "completion"));
  EXPECT_THAT(completed({"sample", "re"}), ElementsAre("replay"));
  EXPECT_THAT(completed({"sample", "replay", ""}), ElementsAre("lines"));
}

TEST(Completion, BashCompletesFlags) {
  EXPECT_THAT(completed({"sample", "show", "--o"}), ElementsAre("--output", "--once"));
  EXPECT_THAT(completed({"sample", "replay", "lines", "--at"}), ElementsAre("--at"));
}

TEST(Completion, BashCompletesTheValuesOfAFlag) {
  EXPECT_THAT(completed({"sample", "show", "--format", ""}), ElementsAre("table", "wide", "json"));
  EXPECT_THAT(completed({"sample", "show", "--format", "j"}), ElementsAre("json"));
  EXPECT_THAT(completed({"sample", "show", "--format", "=", "w"}), ElementsAre("wide"));
  EXPECT_THAT(completed({"sample", "show", "--format", "="}), ElementsAre("table", "wide", "json"));
}

TEST(Completion, BashCompletesTheWordsOfASynopsis) {
  EXPECT_THAT(completed({"sample", "completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(completed({"sample", "completion", "z"}), ElementsAre("zsh"));
}

TEST(Completion, BashAsksARunningProgramForTheNamesOfServices) {
  const std::string running =
      "sample() { printf 'SERVICE STATE\\nweb Active\\nshop Reserve\\n'; }\n";
  const std::string script = bash_completion(kCompletedProgram) + running;
  EXPECT_THAT(offered(script, {"sample", "show", ""}), ElementsAre("web", "shop"));
  EXPECT_THAT(offered(script, {"sample", "show", "s"}), ElementsAre("shop"));
}

TEST(Completion, ZshRunsTheBashScript) {
  const std::string script = zsh_completion(kSample);
  EXPECT_TRUE(script.starts_with("#compdef sample\n"));
  EXPECT_THAT(script, HasSubstr(bash_completion(kSample)));
}

TEST(Completion, FishCompletesCommandsFlagsAndValues) {
  const std::string script = fish_completion(kCompletedProgram);
  EXPECT_THAT(script, HasSubstr("complete -c sample -f -n '__fish_use_subcommand' -a 'show replay "
                                "completion'\n"));
  EXPECT_THAT(
      script,
      HasSubstr("complete -c sample -f -n '__fish_seen_subcommand_from replay' -a 'lines'\n"));
  EXPECT_THAT(script, HasSubstr("'__fish_seen_subcommand_from lines' -l once -d 'Print once.'\n"));
  EXPECT_THAT(script, HasSubstr(" -l format -x -a 'table wide json' -d "));
  EXPECT_THAT(script, HasSubstr("from completion' -f -a 'bash zsh fish'\n"));
  EXPECT_THAT(script, HasSubstr("from show' -f -a '(sample status "));
}

TEST(Completion, OfAProgramWithoutCommandsHasItsFlagsAndValues) {
  const ServiceCompletion made = service_completion("sample", sample_settings());
  EXPECT_THAT(offered(made.bash, {"sample", "--o"}), ElementsAre("--output", "--once"));
  EXPECT_THAT(offered(made.bash, {"sample", "--format", "j"}), ElementsAre("json"));
  EXPECT_THAT(made.fish, HasSubstr("complete -c sample -l once"));
}

}  // namespace
}  // namespace bellows::command
