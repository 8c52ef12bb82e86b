#include "command/program.hpp"

#include <gtest/gtest.h>

#include "tests/unit/command/sample_program.hpp"

namespace bellows::command {
namespace {

/// A call of the sample program and what it printed.
struct Call {
  explicit Call(std::vector<std::string> words) {
    words.insert(words.begin(), "sample");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    last_command.clear();
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    exit_code = run_program(kSample, static_cast<int>(argv.size()), argv.data());
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
  }
  int exit_code = 0;
  std::string out;
  std::string err;
};

TEST(RunProgram, ACommandGetsItsArguments) {
  const Call call({"show", "web", "--once"});
  EXPECT_EQ(call.exit_code, kSuccess);
  EXPECT_EQ(last_command, "show");
  EXPECT_EQ(last_arguments.positional, std::vector<std::string>{"web"});
}

TEST(RunProgram, ASubcommandGetsTheArgumentsAfterItsName) {
  const Call call({"replay", "lines", "-"});
  EXPECT_EQ(call.exit_code, kSuccess);
  EXPECT_EQ(last_command, "replay lines");
  EXPECT_EQ(last_arguments.positional, std::vector<std::string>{"-"});
}

TEST(RunProgram, HelpIsPrintedInsteadOfRunningTheCommand) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"show", "--help"},
                                                {"show", "web", "-h"},
                                                {"replay", "lines", "-h"}}) {
    const Call call(words);
    EXPECT_EQ(call.exit_code, kSuccess);
    EXPECT_TRUE(call.out.starts_with("usage: sample " + words[0])) << call.out;
    EXPECT_EQ(last_command, "");
  }
}

TEST(RunProgram, TheVersionIsACommandAndAFlag) {
  const Call version({"version"});
  EXPECT_EQ(version.exit_code, kSuccess);
  EXPECT_EQ(Call({"--version"}).out, version.out);
  EXPECT_EQ(Call({"-V"}).out, version.out);
}

TEST(RunProgram, TheOverviewIsPrintedForHelpAndIsAUsageErrorWithoutACommand) {
  const Call help({"--help"});
  EXPECT_EQ(help.exit_code, kSuccess);
  EXPECT_EQ(Call({"help"}).out, help.out);
  EXPECT_EQ(Call({"help", "show"}).out, Call({"show", "--help"}).out);
  EXPECT_EQ(Call({"help", "replay", "lines"}).out, Call({"replay", "lines", "--help"}).out);
  EXPECT_EQ(Call({"help", "shwo"}).exit_code, kUsageError);
  const Call nothing({});
  EXPECT_EQ(nothing.exit_code, kUsageError);
  EXPECT_EQ(nothing.out, "");
  EXPECT_EQ(nothing.err, help.out);
}

TEST(RunProgram, ACommandWithoutItsSubcommandIsAUsageErrorThatListsThem) {
  const Call nothing({"replay"});
  EXPECT_EQ(nothing.exit_code, kUsageError);
  EXPECT_NE(nothing.err.find("\n  lines   Replay lines\n"), std::string::npos) << nothing.err;
  EXPECT_EQ(Call({"replay", "--help"}).out, nothing.err);
}

TEST(RunProgram, AnUnknownCommandIsAUsageErrorThatSuggestsASimilarOne) {
  EXPECT_EQ(Call({"shwo"}).err,
            "sample: \"shwo\" is not a command; did you mean \"show\"? `sample --help` lists the "
            "commands\n");
  const Call unknown({"replay", "everything"});
  EXPECT_EQ(unknown.exit_code, kUsageError);
  EXPECT_EQ(unknown.err,
            "sample replay: \"everything\" is not a command; `sample replay --help` lists the "
            "commands\n");
}

TEST(RunProgram, TwoDashesBeforeACommandsNameAreAllowed) {
  const Call call({"--version"});
  EXPECT_EQ(call.exit_code, kSuccess);
  EXPECT_TRUE(call.out.starts_with("sample ")) << call.out;
  EXPECT_EQ(call.out, Call({"version"}).out);
}

}  // namespace
}  // namespace bellows::command
