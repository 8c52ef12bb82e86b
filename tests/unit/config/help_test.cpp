#include "config/help.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "config/revision_schema.hpp"

namespace bellows::config {
namespace {

const Declaration kPort = {.name = "port",
                           .aliases = {"gate"},
                           .variable = "PORT",
                           .kind = Kind::kInteger,
                           .bounds = between(1, 9),
                           .help = "Where it listens.",
                           .group = "Addresses",
                           .default_text = "8"};
const Declaration kPath = {.name = "path",
                           .variable = "BELLOWS_PATH",
                           .format = {.want = "a path", .read = nullptr},
                           .required = true,
                           .help = "Where it goes.",
                           .group = "Addresses"};
const Declaration kProbe = {.name = "probe",
                            .variable = "BELLOWS_PROBE",
                            .help = "How to ask.",
                            .group = "Life",
                            .unset = "a TCP connect"};

TEST(FlagText, SaysThatAVariableWithAUnitIsABareNumber) {
  const Declaration duration = {.name = "duration",
                                .variable = "SPAN_SECONDS",
                                .kind = Kind::kDuration,
                                .help = "How long.",
                                .default_text = "5m"};
  EXPECT_EQ(flag_text(duration), "How long. Want " + valid_values_text(duration) +
                                     ". (default 5m; SPAN_SECONDS, a bare number of seconds)");
}

TEST(FlagText, HasHelpRangeDefaultAndVariable) {
  EXPECT_EQ(flag_text(kPort),
            "Where it listens. Want a whole number from 1 to 9. (default 8; PORT)");
  EXPECT_EQ(flag_text(kPath), "Where it goes. Want a path. (required; BELLOWS_PATH)");
  EXPECT_EQ(flag_text(kProbe), "How to ask. Want text. (default: a TCP connect; BELLOWS_PROBE)");
}

TEST(FlagText, SaysWhichOtherDefaultsAProfileSets) {
  const Declaration one = {.name = "first-replicas", .help = "H.", .default_text = "for-waiting"};
  EXPECT_EQ(flag_text(one),
            "H. Want text. (default for-waiting, one with profile knative, one with profile seed)");
  const Declaration same = {.name = "max-scale-down-rate", .help = "H.", .default_text = "2"};
  EXPECT_EQ(flag_text(same), "H. Want text. (default 2, 1000000 with profile seed)");
}

TEST(FlagHelp, NamesAnAliasOfOneLetter) {
  Declaration output = {.name = "output", .aliases = {"o", "format"}};
  EXPECT_EQ(flag_words(output), "-o, --output");
  output.aliases.clear();
  EXPECT_EQ(flag_words(output), "--output");
}

TEST(FlagHelp, HasHeadingsAndIsWrappedAtTheWidth) {
  EXPECT_EQ(flag_help({kPort, kProbe}, 40),
            "\nAddresses:\n"
            "  --port NUMBER\n"
            "      Where it listens. Want a whole\n"
            "      number from 1 to 9. (default 8;\n"
            "      PORT)\n"
            "\nLife:\n"
            "  --probe TEXT\n"
            "      How to ask. Want text. (default: a\n"
            "      TCP connect; BELLOWS_PROBE)\n");
}

TEST(FlagHelp, WrapsOnlyAtBlanks) {
  std::istringstream lines(flag_help(revision_schema().declarations(), 60));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.size() <= 60 || line.find(' ', 6) == std::string::npos) << line;
  }
}

TEST(MainSettings, AreThoseOfTheTierUnderOneHeading) {
  Declaration tuned = kProbe;
  tuned.tier = Tier::kTuning;
  const auto chosen = main_settings({kPort, tuned, kPath});
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].name, "port");
  EXPECT_EQ(chosen[1].group, "Main settings");
  EXPECT_TRUE(main_settings({kPort, kPath}).empty()) << "all are";
}

}  // namespace
}  // namespace bellows::config
