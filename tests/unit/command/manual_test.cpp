#include "command/manual.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/unit/command/sample_program.hpp"

namespace bellows::command {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string page(const Program& program, const std::string& name) {
  const auto pages = manual_pages(program);
  const auto found = std::ranges::find(pages, name, &ManualPage::name);
  return found == pages.end() ? "there is none" : found->text;
}

TEST(Manual, HasAPageForTheProgramAndForEachCommand) {
  std::vector<std::string> names;
  for (const ManualPage& each : manual_pages(kSample)) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("sample", "sample-show", "sample-replay", "sample-replay-lines",
                                 "sample-version"));
}

TEST(Manual, DescribesACommandAsItsHelpDoes) {
  const std::string text = page(kSample, "sample-show");
  EXPECT_THAT(text, HasSubstr(".TH SAMPLE\\-SHOW 1 "));
  EXPECT_THAT(text, HasSubstr(".SH NAME\nsample\\-show \\- show something\n"));
  EXPECT_THAT(text, HasSubstr(".SH SYNOPSIS\n.B sample show [NAME] [flags]\n"));
  EXPECT_THAT(text, HasSubstr(".EX\n  sample show web\n.EE\n"));
  EXPECT_THAT(text, HasSubstr(".TP\n.BI \"\\-o, \\-\\-output\" \" TEXT\"\nThe format. "));
  EXPECT_THAT(text, HasSubstr(".TP\n.BI \\-\\-once\nPrint once. (default false; BELLOWS_ONCE)\n"));
}

TEST(Manual, ListsTheCommandsOfAProgram) {
  EXPECT_THAT(page(kSample, "sample"),
              HasSubstr(".TP\n.BR sample\\-show (1)\nShow something.\n.TP\n.BR sample\\-replay"));
  EXPECT_THAT(page(kSample, "sample-replay"), HasSubstr(".BR sample\\-replay\\-lines (1)\n"));
}

TEST(Manual, NamesAProgramAsItIsCalled) {
  Program installed = kSample;
  installed.name = "bellows-sample";
  EXPECT_THAT(page(installed, "bellows-sample-show"), HasSubstr("\n  bellows\\-sample show web\n"));
}

TEST(Manual, HasNothingThatTroffReadsAsItsOwn) {
  std::array<Command, 1> commands{kSampleCommands[0]};
  commands[0].details = ".so /etc/passwd\n'quoted' \\fB\n";
  const Program program{.name = "sample", .about = "Does.\n", .commands = commands};
  const std::string text = page(program, "sample-show");
  EXPECT_THAT(text, HasSubstr("\n\\&.so /etc/passwd\n\\&'quoted' \\efB\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n.so")));
}

TEST(Manual, DescribesAProgramWithoutCommands) {
  const ManualPage made = service_manual("bellows-sample", "Serves samples", sample_settings());
  EXPECT_EQ(made.name, "bellows-sample");
  EXPECT_THAT(made.text, HasSubstr("bellows\\-sample \\- serves samples\n"));
  EXPECT_THAT(made.text, HasSubstr("\\-\\-output"));
}

}  // namespace
}  // namespace bellows::command
