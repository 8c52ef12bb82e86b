// `recommender replay` as its users see it.
#include <gtest/gtest.h>

#include <sstream>

#include "recommender/replay/recommender_filter.hpp"
#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

/// What is printed for `lines`, then the error if there is one.
std::string replayed(const std::string& lines, const std::string& policy = "vpa") {
  RecommenderFilter filter(policy.empty() ? config::Layer{}
                                          : config::Layer{config::flag("policy", policy)});
  std::istringstream in(lines);
  std::ostringstream out;
  const auto fed = replay::feed(filter, in, out);
  return out.str() + (fed ? "" : to_string(fed.error()));
}

TEST(RecommenderReplay, PrintsContainersSortedByName) {
  EXPECT_EQ(
      replayed(R"({"at":60,"container":"b","cpu-cores":0.1}
{"at":60,"container":"a","memory-bytes":524288000}
{"at":61,"recommend":true}
)"),
      R"({"at":61,"container":"a","target":{"cpu-millicores":12,"memory-bytes":628694953},)"
      R"("lower-bound":{"cpu-millicores":12,"memory-bytes":131072000},)"
      R"("upper-bound":{"cpu-millicores":12,"memory-bytes":100000000000000},)"
      R"("uncapped-target":{"cpu-millicores":12,"memory-bytes":628694953},)"
      R"("reason":{"cpu":"no-samples: percentile 0.9 -> 0m, margin 0.15 -> 0m, at least 12m -> 12m",)"
      R"("memory":"percentile: percentile 0.9 -> 546691264 bytes, margin 0.15 -> 628694953 bytes"}})"
      "\n"
      R"({"at":61,"container":"b","target":{"cpu-millicores":126,"memory-bytes":131072000},)"
      R"("lower-bound":{"cpu-millicores":12,"memory-bytes":131072000},)"
      R"("upper-bound":{"cpu-millicores":100000000000000,"memory-bytes":131072000},)"
      R"("uncapped-target":{"cpu-millicores":126,"memory-bytes":131072000},)"
      R"("reason":{"cpu":"percentile: percentile 0.9 -> 110m, margin 0.15 -> 126m",)"
      R"("memory":"no-samples: percentile 0.9 -> 0 bytes, margin 0.15 -> 0 bytes, )"
      R"(at least 131072000 bytes -> 131072000 bytes"}})"
      "\n");
}

TEST(RecommenderReplay, PrintsNullWithTheReasonWithoutARecommendation) {
  EXPECT_EQ(
      replayed(R"({"at":0,"container":"c","request":{"cpu-cores":0.5}}
{"at":1,"container":"c","cpu-cores":0.25}
{"at":2,"recommend":true}
)",
               "spike"),
      R"({"at":2,"container":"c","target":null,"reason":{"cpu":"hold: highest usage -> 250m, )"
      R"(request -> 500m, local maximum -> 250m, kept -> 500m","memory":"no-samples"}})"
      "\n");
}

TEST(RecommenderReplay, ReadsSettingsByNameAndResetsWithNew) {
  const std::string lines = R"({"config":{"pod-recommendation-min-cpu-millicores":500}}
{"at":60,"container":"c","cpu-cores":0.1}
{"at":60,"recommend":true}
{"new":true,"at":1,"container":"d","cpu-cores":0.1}
{"at":1,"recommend":true}
)";
  const std::string out = replayed(lines);
  EXPECT_NE(out.find(R"("container":"c","target":{"cpu-millicores":500,)"), std::string::npos);
  EXPECT_NE(out.find(R"("container":"d","target":{"cpu-millicores":126,)"), std::string::npos);
  EXPECT_EQ(out.find(R"("container":"c")", out.find('\n')), std::string::npos);
}

/// A line that is refused after `{"at":60,"container":"c","cpu-cores":0.1}`.
struct InvalidLine {
  const char* scenario;
  const char* line;
  const char* error;  ///< how it begins: line, key, value, what is valid
  const char* policy = "vpa";
};
class RejectedLine : public testing::TestWithParam<InvalidLine> {};

TEST_P(RejectedLine, EndsTheReplayWithLineKeyValueAndValidValuesAndPrintsNothing) {
  const InvalidLine& invalid = GetParam();
  RecommenderFilter filter({config::flag("policy", invalid.policy)});
  std::istringstream in(std::string(R"({"at":60,"container":"c","cpu-cores":0.1})") + "\n" +
                        invalid.line + "\n");
  std::ostringstream out;
  const auto fed = replay::feed(filter, in, out);
  ASSERT_FALSE(fed.has_value());
  const std::string error = to_string(fed.error());
  EXPECT_EQ(error.substr(0, std::string(invalid.error).size()), invalid.error);
  EXPECT_EQ(fed.error().kind(), ErrorKind::kMalformed) << "exit code 2";
  EXPECT_EQ(out.str(), "");
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Lines, RejectedLine, testing::Values(
    InvalidLine{"NotJson", "cpu", "line 2: "},
    InvalidLine{"NotAnObject", "[1]", "line 2: "},
    InvalidLine{"CutOff", R"({"at":61,"container":"c")", "line 2: "},
    InvalidLine{"TextAfterTheObject", R"({"at":61,"recommend":true} {})", "line 2: "},
    InvalidLine{"AKeyTwice", R"({"at":61,"at":62,"recommend":true})", "line 2: the key \"at\" occurs twice"},
    InvalidLine{"NoAction", R"({"at":61})", "line 2: container: missing: want config, container, recommend or checkpoint"},
    InvalidLine{"NewIsNoFlag", R"({"new":1,"at":61,"recommend":true})", "line 2: new: 1: want true or false"}),
    scenario_of<InvalidLine>);
INSTANTIATE_TEST_SUITE_P(Times, RejectedLine, testing::Values(
    InvalidLine{"NoTime", R"({"recommend":true})", "line 2: at: missing: want "},
    InvalidLine{"ATextForATime", R"({"at":"61","recommend":true})", "line 2: at: \"61\": want "},
    InvalidLine{"ATimeBelowZero", R"({"at":-1,"recommend":true})", "line 2: at: -1: want "},
    InvalidLine{"ATimeThatGoesBack", R"({"at":59,"recommend":true})", "line 2: at: 59: want "},
    InvalidLine{"ATimeThatGoesBackForUsage", R"({"at":59.9,"container":"c","memory-bytes":1})", "line 2: at: 59.9: want "},
    InvalidLine{"ATimeBeyondAll", R"({"at":5e9,"recommend":true})", "line 2: at: 5e+09: want "}),
    scenario_of<InvalidLine>);
INSTANTIATE_TEST_SUITE_P(Samples, RejectedLine, testing::Values(
    InvalidLine{"NegativeCpu", R"({"at":61,"container":"c","cpu-cores":-1})", "line 2: cpu-cores: -1: want a number from 0 to 100000"},
    InvalidLine{"AbsurdCpu", R"({"at":61,"container":"c","cpu-cores":100001})", "line 2: cpu-cores: 100001: want "},
    InvalidLine{"NotANumber", R"({"at":61,"container":"c","cpu-cores":NaN})", "line 2: "},
    InvalidLine{"BeyondADouble", R"({"at":61,"container":"c","cpu-cores":1e999})", "line 2: "},
    InvalidLine{"ATextForCpu", R"({"at":61,"container":"c","cpu-cores":"1"})", "line 2: cpu-cores: \"1\": want "},
    InvalidLine{"NullForCpu", R"({"at":61,"container":"c","cpu-cores":null})", "line 2: cpu-cores: null: want "},
    InvalidLine{"NegativeMemory", R"({"at":61,"container":"c","memory-bytes":-1})", "line 2: memory-bytes: -1: want a number from 0 to 100000000000000"},
    InvalidLine{"AbsurdMemory", R"({"at":61,"container":"c","memory-bytes":2e14})", "line 2: memory-bytes: 2e+14: want "},
    InvalidLine{"NoUsageAtAll", R"({"at":61,"container":"c"})", "line 2: cpu-cores: missing: want cpu-cores, memory-bytes, request or event"},
    InvalidLine{"ANumberForAName", R"({"at":61,"container":7,"cpu-cores":1})", "line 2: container: 7: want a text"},
    InvalidLine{"NoName", R"({"at":61,"container":"","cpu-cores":1})", "line 2: container: \"\": want a name"},
    InvalidLine{"ANumberForAPod", R"({"at":61,"container":"c","pod":7,"cpu-cores":1})", "line 2: pod: 7: want a text"}),
    scenario_of<InvalidLine>);
INSTANTIATE_TEST_SUITE_P(RequestsAndEvents, RejectedLine, testing::Values(
    InvalidLine{"ANumberForARequest", R"({"at":61,"container":"c","request":1})", "line 2: request: 1: want an object"},
    InvalidLine{"ANegativeRequest", R"({"at":61,"container":"c","request":{"cpu-cores":-1}})", "line 2: request.cpu-cores: -1: want "},
    InvalidLine{"AnAbsurdRequest", R"({"at":61,"container":"c","request":{"memory-bytes":1e15}})", "line 2: request.memory-bytes: 1e+15: want "},
    InvalidLine{"AnUnknownEvent", R"({"at":61,"container":"c","event":"fire"})", "line 2: event: \"fire\": want oom, crash, crash-loop or start"},
    InvalidLine{"ANumberForAnEvent", R"({"at":61,"container":"c","event":1})", "line 2: event: 1: want a text"},
    InvalidLine{"AKillWithoutMemory", R"({"at":61,"container":"c","event":"oom"})", "line 2: memory-bytes: missing: want "},
    InvalidLine{"AKillWithNegativeMemory", R"({"at":61,"container":"c","event":"oom","memory-bytes":-1})", "line 2: memory-bytes: -1: want "},
    InvalidLine{"ACrashLoopWithoutActive", R"({"at":61,"container":"c","event":"crash-loop"})", "line 2: active: missing: want true or false"}),
    scenario_of<InvalidLine>);
INSTANTIATE_TEST_SUITE_P(Actions, RejectedLine, testing::Values(
    InvalidLine{"RecommendIsNoFlag", R"({"at":61,"recommend":"yes"})", "line 2: recommend: \"yes\": want true or false"},
    InvalidLine{"CheckpointIsNoFlag", R"({"at":61,"checkpoint":1})", "line 2: checkpoint: 1: want true or false"},
    InvalidLine{"CheckpointUnderSpike", R"({"at":61,"checkpoint":true})", "line 2: checkpoint: true: want false, or policy vpa or hybrid; spike keeps no histograms", "spike"}),
    scenario_of<InvalidLine>);
INSTANTIATE_TEST_SUITE_P(Configs, RejectedLine, testing::Values(
    InvalidLine{"ANumberForAConfig", R"({"config":1})", "line 2: config: 1: want an object"},
    InvalidLine{"AnUnknownSetting", R"({"config":{"target-cpu-percentil":0.9}})", "line 2: config: target-cpu-percentil: "},
    InvalidLine{"ASettingOutOfRange", R"({"config":{"target-cpu-percentile":2}})", "line 2: config: target-cpu-percentile: \"2\": want a number from 0 to 1"},
    InvalidLine{"AFactorOnItsLimit", R"({"config":{"scale-down-safety-factor":2}})", "line 2: config: scale-down-safety-factor: \"2\": want a number > 1 and < 2"},
    InvalidLine{"AnUnknownPolicy", R"({"config":{"policy":"best"}})", "line 2: config: policy: \"best\": want "},
    InvalidLine{"MinAboveMax", R"({"config":{"container-policies":[{"container":"c","min-allowed":{"cpu":"2"},"max-allowed":{"cpu":"1"}}]}})", "line 2: config: container policy c: min-allowed cpu 2000m: want at most max-allowed, which is 1000m"},
    InvalidLine{"OneContainerTwice", R"({"config":{"container-policies":[{"container":"c"},{"container":"c"}]}})", "line 2: config: container policy c: it is listed twice"},
    InvalidLine{"APolicyWithoutContainer", R"({"config":{"container-policies":[{"mode":"off"}]}})", "line 2: config.container-policies"},
    InvalidLine{"AnUnknownMode", R"({"config":{"container-policies":[{"container":"c","mode":"on"}]}})", "line 2: config.container-policies[0].mode: \"on\": want auto or off"},
    InvalidLine{"AnUnknownKeyOfAPolicy", R"({"config":{"container-policies":[{"container":"c","most":1}]}})", "line 2: config.container-policies[0].most: 1: want "},
    InvalidLine{"AnUnknownResource", R"({"config":{"container-policies":[{"container":"c","controlled-resources":"disk"}]}})", "line 2: config.container-policies[0].controlled-resources: \"disk\": want "},
    InvalidLine{"AnInvalidAmount", R"({"config":{"container-policies":[{"container":"c","min-allowed":{"memory":"much"}}]}})", "line 2: config.container-policies[0].min-allowed.memory: \"much\": want "},
    InvalidLine{"AnAnnotationOutOfRange", R"({"config":{"annotations":{"recommender.bellows.dev/scale-up-factor":"1"}}})", "line 2: config: "}),
    scenario_of<InvalidLine>);
// clang-format on

TEST(RecommenderReplay, RejectsAnotherPolicyInTheMiddle) {
  EXPECT_EQ(replayed(R"({"config":{"policy":"vpa"}}
{"at":60,"container":"c","cpu-cores":0.1}
{"config":{"policy":"spike"}}
)",
                     "")
                .find("line 3: config.policy: \"spike\": want \"vpa\" until a line with"),
            0U);
}

TEST(RecommenderReplay, IgnoresUnknownKeysOutsideOfConfig) {
  EXPECT_EQ(replayed(R"({"at":60,"container":"c","cpu-cores":0.1,"colour":"red"}
)"),
            "");
}

TEST(RecommenderReplay, ChangesSettingsInTheMiddleWithoutForgetting) {
  const std::string out = replayed(R"({"at":60,"container":"c","cpu-cores":0.1}
{"config":{"recommendation-margin-fraction":0}}
{"at":61,"recommend":true}
)");
  EXPECT_NE(out.find(R"("target":{"cpu-millicores":110,)"), std::string::npos) << out;
}

/// How many warnings a replay of `lines` gives.
struct Warned {
  const char* scenario;
  const char* policy;
  const char* lines;
  std::size_t warnings;
};
class SettingsThatFlap : public testing::TestWithParam<Warned> {};

TEST_P(SettingsThatFlap, CauseOneWarningOnlyUnderSpike) {
  const Warned& row = GetParam();
  std::vector<std::string> warnings;
  RecommenderFilter filter({config::flag("policy", row.policy)},
                           [&](const std::string& warning) { warnings.push_back(warning); });
  std::istringstream in(row.lines);
  std::ostringstream out;
  ASSERT_TRUE(replay::feed(filter, in, out).has_value());
  EXPECT_EQ(warnings.size(), row.warnings) << testing::PrintToString(warnings);
}

// clang-format off
constexpr const char* kNoConfig = R"({"at":0,"container":"c","cpu-cores":0.1}
{"at":1,"recommend":true}
)";
constexpr const char* kEmptyConfig = R"({"config":{}}
{"at":0,"container":"c","cpu-cores":0.1}
)";
constexpr const char* kStableFirst = R"({"config":{"scale-down-safety-factor":1.5}}
{"at":0,"container":"c","cpu-cores":0.1}
)";
constexpr const char* kStableLater = R"({"at":0,"container":"c","cpu-cores":0.1}
{"config":{"scale-down-safety-factor":1.5}}
{"at":1,"container":"c","cpu-cores":0.1}
{"config":{"scale-down-safety-factor":1.2}}
{"at":2,"container":"c","cpu-cores":0.1}
)";
INSTANTIATE_TEST_SUITE_P(Replays, SettingsThatFlap, testing::Values(
    Warned{"SpikeWithoutConfig", "spike", kNoConfig, 1},
    Warned{"SpikeWithAnEmptyConfig", "spike", kEmptyConfig, 1},
    Warned{"SpikeMadeStableFirst", "spike", kStableFirst, 0},
    Warned{"SpikeMadeStableForAWhile", "spike", kStableLater, 2},
    Warned{"HybridHasNoSuchScaleDown", "hybrid", kEmptyConfig, 0},
    Warned{"NorHasVpa", "vpa", kEmptyConfig, 0}),
    scenario_of<Warned>);
// clang-format on

struct GreatKill {
  const char* scenario;
  const char* policy;
  const char* config;
  const char* bytes;
};
class KillAtTheEdge : public testing::TestWithParam<GreatKill> {};

// A kill whose bump would go beyond what any amount may be, then a change of settings, for which
// everything known is saved and read back.
TEST_P(KillAtTheEdge, IsStoredAsTheMaximumAmountAndSettingsStillChange) {
  const GreatKill& row = GetParam();
  const std::string out = replayed(
      std::string("{\"config\":") + row.config +
          "}\n{\"at\":0,\"container\":\"c\",\"event\":\"oom\",\"memory-bytes\":" + row.bytes +
          "}\n{\"config\":{\"scale-up-factor\":3}}\n{\"at\":60,\"recommend\":true}\n",
      row.policy);
  EXPECT_EQ(out.find("{\"at\":60,\"container\":\"c\",\"target\":{"), 0U) << out;
}

INSTANTIATE_TEST_SUITE_P(Kills, KillAtTheEdge,
                         testing::Values(GreatKill{"VpaAtTheMost", "vpa", "{}", "1e14"},
                                         GreatKill{"VpaWithTheGreatestBump", "vpa",
                                                   R"({"oom-min-bump-up-bytes":1e14})", "1"},
                                         GreatKill{"HybridAtTheMost", "hybrid", "{}", "1e14"},
                                         GreatKill{"SpikeAtTheMost", "spike", "{}", "1e14"}),
                         scenario_of<GreatKill>);

TEST(RecommenderReplay, ExplainsEveryNumber) {
  RecommenderFilter filter({config::flag("policy", "vpa")});
  filter.prepare_to_explain(ContainerName("c"));
  std::istringstream in(R"({"at":60,"container":"c","cpu-cores":0.1})");
  std::ostringstream out;
  ASSERT_TRUE(replay::feed(filter, in, out).has_value());
  const auto lines = filter.explain();
  ASSERT_TRUE(lines.has_value());
  EXPECT_NE(
      std::find(lines->begin(), lines->end(), "  bucket 8 to 110.27m: 100.0 %, up to here 100.0 %"),
      lines->end());
  const auto nobody = filter.policy().explain(ContainerName("x"), filter.now());
  EXPECT_EQ(to_string(nobody.error()), "container x: there is none of that name; want one of: c");
}

// A crash loop doubles 450m of 500m; asked a second time the same rule would not fire again.
TEST(RecommenderReplay, ExplainsWhatItRecommendedLast) {
  RecommenderFilter filter({config::flag("policy", "spike")});
  filter.prepare_to_explain(ContainerName("c"));
  std::istringstream in(R"({"at":0,"container":"c","request":{"cpu-cores":0.5}}
{"at":60,"container":"c","cpu-cores":0.45}
{"at":61,"container":"c","event":"crash-loop","active":true}
{"at":62,"recommend":true}
)");
  std::ostringstream out;
  ASSERT_TRUE(replay::feed(filter, in, out).has_value());
  EXPECT_NE(out.str().find(R"("target":{"cpu-millicores":1000})"), std::string::npos) << out.str();
  EXPECT_EQ(filter.explain()->at(1),
            "  target: crash: highest usage -> 450m, request -> 500m, times 2 -> 1000m");
}

}  // namespace
}  // namespace bellows::recommender
