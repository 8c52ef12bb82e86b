#include "config/suggestion.hpp"

#include <gtest/gtest.h>

namespace bellows::config {
namespace {

const std::vector<std::string> kNames = {"target", "window", "min-scale", "max-scale",
                                         "target-burst-capacity"};

TEST(Suggestion, AllowsAnEditDistanceOfOneOrTwo) {
  EXPECT_EQ(suggestion("targte", kNames), "target");
  EXPECT_EQ(suggestion("windw", kNames), "window");
  EXPECT_EQ(suggestion("min-scal", kNames), "min-scale");
  EXPECT_EQ(suggestion("target-brust-capacitty", kNames), "target-burst-capacity");
}

TEST(Suggestion, KnowsOtherCases) {
  EXPECT_EQ(suggestion("maxScale", kNames), "max-scale");
  EXPECT_EQ(suggestion("MAX_SCALE", kNames), "max-scale");
  EXPECT_EQ(suggestion("max scale", kNames), "max-scale");
}

TEST(Suggestion, IsTheMostSimilarName) {
  EXPECT_EQ(suggestion("mox-scale", kNames), "max-scale");
  EXPECT_EQ(suggestion("mn-scale", kNames), "min-scale");
}

TEST(Suggestion, CompletesAFirstWord) {
  EXPECT_EQ(continuation("target-burst", kNames), "target-burst-capacity");
  EXPECT_EQ(continuation("resources", {"window", "resources-mode"}), "resources-mode");
  EXPECT_EQ(continuation("tar", kNames), "");
}

TEST(InsteadOf, TellsWhatToWriteForTheNamesOfOtherPrograms) {
  for (const auto& [name, part] :
       std::vector<std::pair<const char*, const char*>>{{"env", "environment"},
                                                        {"port", "$PORT"},
                                                        {"image", "podman"},
                                                        {"replicas", "min-scale and max-scale"},
                                                        {"minReplicas", "min-scale"},
                                                        {"max_replicas", "max-scale"},
                                                        {"healthcheck", "readiness-path"},
                                                        {"cwd", "working-directory"},
                                                        {"idle_timeout", "idle-time"},
                                                        {"idle", "idle-time"},
                                                        {"max", "max-scale"},
                                                        {"min", "min-scale"},
                                                        {"scale", "max-scale"},
                                                        {"dir", "working-directory"},
                                                        {"hostname", "host"},
                                                        {"url", "host"},
                                                        {"expose", "host"}}) {
    EXPECT_NE(instead_of(name).find(part), std::string_view::npos) << name;
  }
  EXPECT_EQ(instead_of("target"), "");
}

TEST(Suggestion, IsEmptyIfNothingIsSimilar) {
  EXPECT_EQ(suggestion("replicas", kNames), "");
  EXPECT_EQ(suggestion("", kNames), "");
  EXPECT_EQ(suggestion("a", {"port"}), "");
  EXPECT_EQ(suggestion("prt", {"port"}), "port");
  EXPECT_EQ(suggestion("pr", {"port"}), "");
}

}  // namespace
}  // namespace bellows::config
