#include "command/arguments.hpp"

#include <gtest/gtest.h>

#include "tests/unit/command/sample_program.hpp"

namespace bellows::command {
namespace {

using Words = std::vector<std::string>;

Arguments split(const Words& words) {
  return split_arguments(words, sample_settings());
}

SampleSettings settings_of(const Words& words) {
  return sample_schema().apply(split(words).layers).value();
}

TEST(Arguments, WordsFlagsAndTheRestAfterTwoDashesAreToldApart) {
  const Arguments arguments =
      split({"web", "-o", "json", "--at", "x", "--", "sh", "-c", "--", "$PORT"});
  EXPECT_EQ(arguments.positional, (Words{"web"}));
  ASSERT_EQ(arguments.flags().size(), 2U);
  EXPECT_EQ(arguments.flags()[0].value, "json");
  EXPECT_EQ(arguments.flags()[1].value, "x");
  EXPECT_EQ(arguments.rest, (Words{"sh", "-c", "--", "$PORT"}));
}

TEST(Arguments, AFlagTakesItsValueAfterABlankOrAnEqualsSign) {
  for (const Words& words : {Words{"--output", "wide"}, Words{"--output=wide"}, Words{"-o", "wide"},
                             Words{"-o=wide"}, Words{"--o=wide"}}) {
    EXPECT_EQ(settings_of(words).output, "wide") << words.front();
  }
}

TEST(Arguments, PositionalArgumentsMayStandBeforeBetweenAndAfterFlags) {
  EXPECT_EQ(split({"a", "--once", "b", "--output", "wide", "c"}).positional,
            (Words{"a", "b", "c"}));
}

TEST(Arguments, ADashAloneIsAPositionalArgumentOrAValue) {
  EXPECT_EQ(split({"-"}).positional, (Words{"-"}));
  EXPECT_EQ(split({"--once", "-", "web"}).positional, (Words{"-", "web"}));
  EXPECT_EQ(settings_of({"--output", "-"}).output, "-");
  EXPECT_EQ(settings_of({"--output=-"}).output, "-");
}

TEST(Arguments, ANegativeDurationIsAValue) {
  EXPECT_EQ(settings_of({"--at", "-30s"}).at, "-30s");
}

TEST(Arguments, AnUnknownShortFlagStaysAnError) {
  const Arguments arguments = split({"--at", "x", "web", "-x", "api"});
  EXPECT_EQ(arguments.positional, (Words{"web", "api"}));
  ASSERT_EQ(arguments.flags().size(), 2U);
  EXPECT_EQ(arguments.flags()[1].key, "-x");
  EXPECT_FALSE(sample_schema().apply(arguments.layers));
}

TEST(Arguments, FlagsWinOverTheEnvironment) {
  const Words words = {"--output", "wide"};
  const Arguments arguments = split_arguments(words, sample_settings(),
                                              {{"BELLOWS_OUTPUT", "json"}, {"BELLOWS_AT", "noon"}});
  const auto settings = sample_schema().apply(arguments.layers);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->output, "wide");
  EXPECT_EQ(settings->at, "noon");
}

TEST(Arguments, HelpIsAskedForOnlyBeforeTwoDashes) {
  EXPECT_TRUE(asks_for_help(Words{"web", "--help"}));
  EXPECT_TRUE(asks_for_help(Words{"-h"}));
  EXPECT_FALSE(asks_for_help(Words{"web", "--", "./server", "--help"}));
  EXPECT_TRUE(help_topic(Words{"--help-all"})->is_all);
  EXPECT_EQ(help_topic(Words{"--help", "panic", "--", "./server"})->word, "panic");
  EXPECT_EQ(help_topic(Words{"--help", "--listen"})->word, "");
  EXPECT_EQ(help_topic(Words{"--help", "--", "./server"})->word, "");
}

TEST(Arguments, EntriesOfTwoSchemasAreSeparatedByTheirDeclarations) {
  config::Layer flags = {config::flag("o", "wide"), config::flag("other", "1")};
  const config::Layer own = take_declared(flags, sample_settings());
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own[0].key, "o");
  ASSERT_EQ(flags.size(), 1U);
  EXPECT_EQ(flags[0].key, "other");
}

}  // namespace
}  // namespace bellows::command
