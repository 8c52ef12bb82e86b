#include "cli/replay/decisions_filter.hpp"

#include <gtest/gtest.h>
// After gtest: its macros build on gtest's.
#include <rapidcheck/gtest.h>

#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace bellows::cli {
namespace {

struct Outcome {
  std::string out;
  std::string problem;
};

Outcome replayed(ReplayProfile profile, std::istream& in) {
  DecisionsFilter filter(profile);
  std::ostringstream out;
  const auto fed = replay::feed(filter, in, out);
  return {out.str(), fed ? "" : to_string(fed.error())};
}

Outcome replayed(ReplayProfile profile, const std::string& lines) {
  std::istringstream in(lines);
  return replayed(profile, in);
}

std::vector<json::Object> objects_of(const std::string& text) {
  std::vector<json::Object> objects;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    objects.push_back(json::parse_line(line, objects.size() + 1).value());
  }
  return objects;
}

/// The answers to `lines`, which are understood.
std::vector<json::Object> answers(ReplayProfile profile, const std::string& lines) {
  const Outcome outcome = replayed(profile, lines);
  EXPECT_EQ(outcome.problem, "");
  return objects_of(outcome.out);
}

std::vector<std::int64_t> numbers(const std::vector<json::Object>& objects, const char* key) {
  std::vector<std::int64_t> numbers;
  for (const json::Object& object : objects) {
    numbers.push_back(object.integer(key, -1'000'000, 1'000'000).value());
  }
  return numbers;
}

using Numbers = std::vector<std::int64_t>;

// What Knative's own code answered (tests/golden/README.md).

std::string file_text(const std::string& name) {
  std::ifstream file(std::string(BELLOWS_GOLDEN_DIR) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Weighted means are equal but for the last bits: Go's pow is another (tests/golden/README.md).
void expect_row(const json::Object& want, const json::Object& got, double tolerance) {
  ASSERT_EQ(got.number("at").value(), want.number("at").value());
  ASSERT_EQ(got.flag("valid").value(), want.flag("valid").value());
  if (!want.flag("valid").value()) return;
  for (const char* key : {"desired", "excess-burst-capacity", "panic-max"}) {
    EXPECT_EQ(got.number(key).value(), want.number(key).value()) << key;
  }
  for (const char* key : {"stable", "panic"}) {
    const double average = want.number(key).value();
    EXPECT_NEAR(got.number(key).value(), average, tolerance * average) << key;
  }
  EXPECT_EQ(got.text("mode").value(), want.text("mode").value());
  EXPECT_NE(got.text("reason").value(), "");
}

void expect_knatives(const std::string& name, std::size_t rows, double tolerance) {
  const auto wanted = objects_of(file_text(name + ".out.jsonl"));
  const auto got = answers(ReplayProfile::kKnative, file_text(name + ".in.jsonl"));
  ASSERT_EQ(got.size(), wanted.size());
  EXPECT_EQ(got.size(), rows);
  for (std::size_t row = 0; row < rows; ++row) {
    SCOPED_TRACE(name + ", row " + std::to_string(row + 1));
    expect_row(wanted[row], got[row], tolerance);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(DecisionsGolden, OnGivenAveragesMatchKnative) {
  expect_knatives("decisions", 1285, 0);
}

TEST(DecisionsGolden, OnStatsMatchKnativeIncludingNumbers) {
  expect_knatives("decisions-stats", 265, 1e-12);
}

// The series of the seed (knative.md 7.6), told in stats.

struct Series {
  int from, to, seconds, pods, want;
};

struct SeedRow {
  const char* name;
  int target;
  std::vector<Series> series;
};

std::ostream& operator<<(std::ostream& out, const SeedRow& row) {
  return out << row.name;
}

/// Every replica reports a whole number each second; at the end of each series it is decided.
std::string seed_lines(const SeedRow& row) {
  std::string lines = R"({"at":0,"spec":{"target":)" + std::to_string(row.target) + "}}\n";
  int second = 0;
  for (const Series& series : row.series) {
    for (int i = 1; i <= series.seconds; ++i) {
      const double step = static_cast<double>(series.to - series.from) / series.seconds;
      const int load = static_cast<int>(series.from + i * step);
      lines += R"({"at":)" + std::to_string(++second) + R"(,"stats":[)";
      for (int pod = 0; pod < series.pods; ++pod) {
        lines += std::string(pod > 0 ? "," : "") + R"({"pod":"web-)" + std::to_string(pod) +
                 R"(","concurrency":)" + std::to_string(load) + R"(,"requests":)" +
                 std::to_string(load) + "}";
      }
      lines += "]}\n";
    }
    lines += R"({"at":)" + std::to_string(second) + R"(,"ready":)" + std::to_string(series.pods) +
             R"(,"evaluate":true})" + "\n";
  }
  return lines;
}

class SeedSeries : public testing::TestWithParam<SeedRow> {};

TEST_P(SeedSeries, EndsInWhatTheSeedWanted) {
  Numbers want;
  for (const Series& series : GetParam().series) want.push_back(series.want);
  EXPECT_EQ(numbers(answers(ReplayProfile::kSeed, seed_lines(GetParam())), "desired"), want);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SeedSeries,
    testing::Values(
        //                                          target  from  to  for  pods  want
        SeedRow{"Row110SteadyLoadKeepsTen", 10, {{10, 10, 60, 10, 10}}},
        SeedRow{"Row111LoadThatDoublesGetsItsMean", 10, {{10, 20, 60, 10, 15}}},
        SeedRow{"Row112LoadThatHalvesGetsItsMean", 10, {{20, 10, 60, 10, 15}}},
        SeedRow{"Row113TwoIdlePodsBecomeOne", 10, {{0, 0, 60, 2, 1}}},
        SeedRow{"Row114FiveIdleMinutesEndAtZero", 10, {{1, 1, 60, 1, 1}, {0, 0, 300, 1, 0}}},
        SeedRow{"Row115SixSecondsAtTwiceTheTargetArePanic",
                10,
                {{10, 10, 60, 10, 10}, {20, 20, 6, 10, 20}}},
        SeedRow{"Row116PanicFollowsARiseOfPowersAndHolds",
                1,
                {{1, 10, 6, 1, 6},
                 {1, 10, 6, 6, 36},
                 {1, 10, 6, 36, 216},
                 {1, 10, 6, 216, 1296},
                 {1, 1, 6, 1296, 1296}}},
        SeedRow{"Row117PanicHoldsAMinuteAndLetsGo",
                10,
                {{10, 10, 60, 10, 10},
                 {100, 100, 6, 10, 100},
                 {1, 1, 30, 100, 100},
                 {1, 1, 31, 100, 10}}}),
    [](const auto& row) { return row.param.name; });

TEST(SeedSeriesRow118, WithoutDataThereIsNoDecision) {
  const std::string lines = seed_lines({"", 10, {{10, 10, 60, 10, 10}}}) +
                            R"({"at":119.999,"evaluate":true})"
                            "\n"
                            R"({"at":120,"evaluate":true})"
                            "\n";
  const auto got = answers(ReplayProfile::kSeed, R"({"at":0,"spec":{}})"
                                                 "\n"
                                                 R"({"at":0,"evaluate":true})"
                                                 "\n");
  EXPECT_FALSE(got.at(0).flag("valid").value());
  const auto later = answers(ReplayProfile::kSeed, lines);
  EXPECT_TRUE(later.at(1).flag("valid").value());   // the points of second 60 are left
  EXPECT_FALSE(later.at(2).flag("valid").value());  // a minute without data
}

// What a line means.

TEST(DecisionsFilter, AnswersWithEveryDocumentedKey) {
  EXPECT_EQ(replayed(ReplayProfile::kKnative,
                     R"({"at":0,"spec":{"target-value":1,"total-value":1.25,"max-scale":40,)"
                     R"("target-burst-capacity":100},"ready":5})"
                     "\n"
                     R"({"at":5,"ready":5,"stable":50,"panic":30})"
                     "\n")
                .out,
            R"({"at":5,"valid":true,"desired":50,"bounded":40,"excess-burst-capacity":-124,)"
            R"("mode":"panic","panic-max":50,"stable":50,"panic":30,"want":40,"rule":"max-scale",)"
            R"("reason":"40 because 50 requests in flight over 1m: 50 / 1 = 50; limited to 40 by )"
            R"(max-scale"})"
            "\n");
}

TEST(DecisionsFilter, AnUpdateChangesOnlyTheKeysItNames) {
  const auto got = answers(ReplayProfile::kKnative,
                           R"({"at":0,"spec":{"target-value":10,"max-scale":20},"ready":1}
{"at":2,"ready":1,"stable":50,"panic":50}
{"at":3,"spec":{"max-scale":3}}
{"at":4,"ready":1,"stable":50,"panic":50}
{"at":5,"spec":{"target-value":1}}
{"at":6,"ready":1,"stable":50,"panic":50}
{"at":7,"spec":{"max-scale":null}}
{"at":8,"ready":1,"stable":50,"panic":50})");
  EXPECT_EQ(numbers(got, "bounded"), (Numbers{5, 3, 3, 50}));
}

TEST(DecisionsFilter, ADecisionLineAcceptsEveryInputOfTheProfile) {
  const std::string spec = R"({"at":0,"spec":{"target":10,"target-utilization-percentage":100,)"
                           R"("initial-scale":0,)"
                           R"("cpu-utilization":50}})"
                           "\n";
  const auto got = answers(ReplayProfile::kBellows,
                           spec + R"({"at":2,"ready":2,"stable":20,"panic":20,"cpu":1.25}
{"at":4,"ready":0,"starting":5,"stable":0,"panic":0,"waiting":32}
)");
  EXPECT_EQ(got.at(0).text("rule").value(), "usage");
  EXPECT_EQ(got.at(0).integer("want", 0, 99).value(), 5);
  EXPECT_EQ(got.at(1).integer("want", 0, 99).value(), 4);
}

TEST(DecisionsFilter, ANewLineResetsStateSettingsAndTime) {
  const auto got = answers(ReplayProfile::kKnative,
                           R"({"at":100,"spec":{"target-value":1,"max-scale":3},"ready":10}
{"at":102,"ready":10,"stable":1,"panic":1}
{"at":0,"new":true,"spec":{"target-value":1},"ready":1}
{"at":2,"ready":1,"stable":7,"panic":1})");
  EXPECT_EQ(numbers(got, "desired"), (Numbers{10, 7}));
  EXPECT_EQ(numbers(got, "bounded"), (Numbers{3, 7}));
}

TEST(DecisionsFilter, ASnapshotRestoresPanicBeforeTheFirstSpecAndAfter) {
  const std::string snapshot =
      R"({"at":5,"snapshot":{"want":5,"panic":{"since-age":5,"last-over-age":5},"panic-max":50}})"
      "\n";
  const std::string spec = R"({"at":5,"spec":{"target-value":10},"ready":1})"
                           "\n";
  const std::string ask = R"({"at":6,"ready":5,"stable":20,"panic":20})"
                          "\n";
  for (const std::string& lines : {snapshot + spec + ask, spec + snapshot + ask}) {
    const auto got = answers(ReplayProfile::kKnative, lines);
    EXPECT_EQ(numbers(got, "desired"), Numbers{50});
    EXPECT_EQ(got.at(0).text("rule").value(), "panic-hold");
  }
}

TEST(DecisionsFilter, AMissingSecondIsZeroExceptUnderSeed) {
  std::string lines = R"({"at":0,"spec":{"target-value":1,"window":"6s"},"ready":1})"
                      "\n";
  for (const int second : {1, 2, 4, 5, 6}) {
    lines += R"({"at":)" + std::to_string(second) +
             R"(,"stats":[{"pod":"a","concurrency":6,"requests":6}]})" + "\n";
  }
  lines += R"({"at":6,"ready":1,"evaluate":true})"
           "\n";
  // Under bellows the second that has just begun does not count.
  EXPECT_DOUBLE_EQ(answers(ReplayProfile::kBellows, lines).at(0).number("stable").value(), 4.8);
  EXPECT_EQ(answers(ReplayProfile::kKnative, lines).at(0).number("stable").value(), 5);
  EXPECT_EQ(answers(ReplayProfile::kSeed, lines).at(0).number("stable").value(), 6);
}

TEST(DecisionsFilter, AProfileInTheSpecOverridesTheFlag) {
  const auto got = answers(ReplayProfile::kSeed,
                           R"({"at":0,"spec":{"profile":"knative","target-value":7},"ready":1}
{"at":2,"ready":1,"stable":7,"panic":8})");
  EXPECT_EQ(got.at(0).text("mode").value(), "panic");  // 8 / 7 rounded up is 2 replicas for one
}

// Problems.

struct BadLine {
  const char* name;
  const char* line;
  const char* want;
};

std::ostream& operator<<(std::ostream& out, const BadLine& bad) {
  return out << bad.name;
}

class DecisionsProblems : public testing::TestWithParam<BadLine> {};

TEST_P(DecisionsProblems, AreNamedWithLineKeyValueAndWhatIsValid) {
  const Outcome outcome = replayed(ReplayProfile::kKnative,
                                   std::string(R"({"at":1,"spec":{"target":10,"max-scale":9}})") +
                                       "\n" + GetParam().line + "\n");
  EXPECT_EQ(outcome.problem, GetParam().want);
  EXPECT_EQ(outcome.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Rows, DecisionsProblems,
    testing::Values(
        BadLine{"ABadValue", R"({"at":2,"spec":{"target":0}})",
                "line 2: spec.target: \"0\": want a number from 0.01 to 1000000000"},
        BadLine{"ASpanWithoutUnit", R"({"at":2,"spec":{"window":60}})",
                "line 2: spec.window: \"60\": want a duration (90s, 1m30s) from 2s to 1h, in whole "
                "seconds"},
        BadLine{"AList", R"({"at":2,"spec":{"window":[60]}})",
                "line 2: spec.window: [60]: want a number, a text, true or false"},
        BadLine{"ASettingTwiceByItsAlias", R"({"at":2,"spec":{"min-scale":1,"minScale":2}})",
                "line 2: spec.minScale: \"2\": the same setting is set in line 2: spec.min-scale "
                "already; want it once"},
        BadLine{"SettingsThatDoNotGoTogether", R"({"at":2,"spec":{"min-scale":10}})",
                "line 2: spec.min-scale: \"10\" together with max-scale \"9\" (line 1: "
                "spec.max-scale): want min-scale at most max-scale, or max-scale 0 (no limit)"},
        BadLine{
            "AnUnknownPolicy", R"({"at":2,"spec":{"policy":"nope"}})",
            "line 2: spec.policy: \"nope\": want names of concurrency, triggers, schedule, chain, "
            "webhook, counter, buffer, roomOccupancy, separated by commas"},
        BadLine{
            "ABufferOfNothing",
            R"({"at":2,"spec":{"policy":"buffer","autoscaling":"{\"buffer\":{\"amount\":0}}"}})",
            "line 2: spec.autoscaling.buffer.amount: 0: want a whole number from 1 to 1000000"},
        BadLine{"ATargetValueOfZero", R"({"at":2,"spec":{"target-value":0}})",
                "line 2: spec.target-value: 0: want a number from 0.01 to 1000000000000000"},
        BadLine{"ReachableAsText", R"({"at":2,"spec":{"reachable":"yes"}})",
                "line 2: spec.reachable: \"yes\": want true or false"},
        BadLine{"ASpecThatIsNoObject", R"({"at":2,"spec":5})", "line 2: spec: 5: want an object"},
        BadLine{"NoTime", R"({"ready":1,"stable":1,"panic":1})",
                "line 2: at: missing: want a number from 0 to 4000000000"},
        BadLine{"TimeThatGoesBack", R"({"at":0.5,"ready":1,"stable":1,"panic":1})",
                "line 2: at: 0.5: want at least 1, the time of the line before"},
        BadLine{"OneAverageOnly", R"({"at":2,"ready":1,"stable":1})",
                "line 2: panic: missing: want a number from 0 to 1000000000000000"},
        BadLine{"ANegativeAverage", R"({"at":2,"ready":1,"stable":-1,"panic":1})",
                "line 2: stable: -1: want a number from 0 to 1000000000000000"},
        BadLine{"HalfAReplica", R"({"at":2,"ready":1.5,"stable":1,"panic":1})",
                "line 2: ready: 1.5: want a whole number from 0 to 100000000"},
        BadLine{"MoreKnownThanThereIs", R"({"at":2,"stable":1,"panic":1,"known-seconds":61})",
                "line 2: known-seconds: 61: want a whole number from 0 to 60"},
        BadLine{
            "AnUnreadableAge", R"({"at":2,"stable":1,"panic":1,"idle-for":"soon"})",
            "line 2: idle-for: \"soon\": want seconds from 0 to 4000000000, as a number or as text "
            "with a unit such as \"60s\""},
        BadLine{"AnUnknownProblem", R"({"at":2,"stable":1,"panic":1,"problem":"tired"})",
                "line 2: problem: \"tired\": want one of none, no-metrics, no-pod-count"},
        BadLine{"EvaluateFalse", R"({"at":2,"evaluate":false})",
                "line 2: evaluate: false: want true"},
        BadLine{"AStatWithoutPod", R"({"at":2,"stats":[{"concurrency":1}]})",
                "line 2: stats[0].pod: missing: want a text"},
        BadLine{"AStatWithoutConcurrency", R"({"at":2,"stats":[{"pod":"a"}]})",
                "line 2: stats[0].concurrency: missing: want a number from 0 to 1000000000"},
        BadLine{"StatsThatAreNoList", R"({"at":2,"stats":{}})",
                "line 2: stats: {}: want a list of objects"},
        BadLine{"ASnapshotWithANegativeNumber", R"({"at":2,"snapshot":{"want":-1}})",
                "line 2: snapshot.want: -1: want a whole number from 0 to 100000000"},
        BadLine{"ASnapshotOfPanicWithoutObject", R"({"at":2,"snapshot":{"panic":true}})",
                "line 2: snapshot.panic: true: want an object"},
        BadLine{"NewThatIsNoFlag", R"({"at":2,"new":1,"spec":{}})",
                "line 2: new: 1: want true or false"},
        BadLine{"NoJson", R"({"at":2,)",
                "line 2: {\"at\":2,: no JSON at byte 9 (incomplete JSON); want one JSON object on "
                "each line"},
        BadLine{"NothingToDo", R"({"at":2})",
                "line 2: no key defines its kind: a line has exactly one of spec, "
                "snapshot, stats, evaluate, restarted, shares, ended, and stable with panic"},
        BadLine{"TwoThingsToDo", R"({"at":2,"spec":{},"evaluate":true})",
                "line 2: evaluate: true: want it not beside spec: a line has exactly one of spec, "
                "snapshot, stats, evaluate, restarted, shares, ended, and stable with panic"},
        BadLine{"NothingBeforeIt", R"({"at":0,"new":true,"evaluate":true})",
                "line 2: evaluate: true: want a line {\"at\":0,\"spec\":{...}} before it"}),
    [](const auto& row) { return row.param.name; });

TEST(DecisionsFilter, OnlyUnknownKeysOfSpecAreProblems) {
  const std::string problem = replayed(ReplayProfile::kKnative, R"({"at":0,"spec":{"max-skale":3}})"
                                                                "\n")
                                  .problem;
  EXPECT_TRUE(
      problem.starts_with("line 1: spec.max-skale: 3: want max-scale? Valid are profile, "
                          "metric, metric-aggregation-algorithm, container-concurrency"))
      << problem;
  const auto got = answers(ReplayProfile::kKnative,
                           R"({"at":0,"comment":"x","spec":{"target":10},"ready":1}
{"at":2,"ready":1,"stable":1,"panic":1,"colour":"blue"})");
  EXPECT_EQ(got.size(), 1U);
}

TEST(DecisionsFilter, LinesBeforeAProblemAreAnswered) {
  const Outcome outcome = replayed(ReplayProfile::kKnative,
                                   R"({"at":0,"spec":{},"ready":1}
{"at":2,"ready":1,"stable":1,"panic":1}
{"at":4,"ready":1,"stable":1})");
  EXPECT_EQ(objects_of(outcome.out).size(), 1U);
  EXPECT_NE(outcome.problem, "");
}

TEST(DecisionsHelp, ListsEveryKeyOfSpec) {
  const std::string help = decisions_help();
  for (const char* key :
       {"target", "container-concurrency", "window", "headroom", "keep-alive", "reachable",
        "target-value", "total-value", "scale-down-delay", "progress-deadline", "profile"}) {
    EXPECT_NE(help.find("\n  " + std::string(key) + "  "), std::string::npos) << key;
  }
  EXPECT_EQ(help.find("queue-depth"), std::string::npos);
}

/// A JSON value, more often than not one that fits somewhere.
std::string any_value() {
  return *rc::gen::element<std::string>(
      "0", "1", "-1", "1.5", "1e15", "1e-300", "4e9", "1e30", "100000000", "99999", "true", "false",
      "null", "\"\"", "\"60s\"", "\"1h\"", "\"knative\"", "\"seed\"", "\"rps\"", "\"peak\"",
      "\"weighted-exponential\"", "\"utilization\"", "\"window\"", "\"one\"", "\"active\"",
      "\"no-metrics\"", "[]", "{}", "[{\"pod\":\"a\",\"concurrency\":1e9}]",
      "[{\"pod\":\"activator\",\"concurrency\":3,\"proxied-concurrency\":7,\"requests\":0.5}]",
      "{\"since-age\":4e9,\"last-over-age\":-4e9}", "{\"want\":5,\"panic\":{\"since-age\":1}}",
      "{\"delay\":[{\"slots-ago\":3,\"pods\":9}],\"fresh\":{\"since-age\":1}}");
}

std::string any_members(const std::vector<std::string>& keys) {
  std::string members;
  std::size_t index = *rc::gen::inRange<std::size_t>(0, 6);
  while (index < keys.size()) {
    members += ",\"" + keys[index] + "\":" + any_value();
    index += *rc::gen::inRange<std::size_t>(1, 12);
  }
  return members;
}

std::string any_line(int second) {
  static const std::vector<std::string> kSpecKeys = {
      "target",           "window",
      "metric",           "profile",
      "max-scale",        "min-scale",
      "headroom",         "waiting-percentage",
      "keep-alive",       "idle-clock",
      "first-replicas",   "metric-aggregation-algorithm",
      "scale-down-delay", "target-burst-capacity",
      "target-value",     "early-scale-up"};
  static const std::vector<std::string> kKeys = {
      "ready",    "starting",   "requested", "not-reporting", "observed",      "waiting",
      "idle-for", "start-time", "cpu",       "memory",        "known-seconds", "in-window",
      "retired",  "paused",     "problem",   "new",           "snapshot"};
  const std::string begin = "{\"at\":" + std::to_string(second);
  switch (*rc::gen::inRange(0, 4)) {
    case 0: {
      const std::string members = any_members(kSpecKeys);
      return begin + ",\"spec\":{" + (members.empty() ? "" : members.substr(1)) + "}}";
    }
    case 1:
      return begin + ",\"stats\":" + any_value() + "}";
    case 2:
      return begin + ",\"stable\":" + any_value() + ",\"panic\":" + any_value() +
             any_members(kKeys) + "}";
    default:
      return begin + ",\"evaluate\":true" + any_members(kKeys) + "}";
  }
}

RC_GTEST_PROP(DecisionsFilterAlways, AnswersOrSaysWhatIsWrong, ()) {
  DecisionsFilter filter(
      *rc::gen::element(ReplayProfile::kBellows, ReplayProfile::kKnative, ReplayProfile::kSeed));
  std::string out;
  RC_ASSERT(filter.take(json::parse_line(R"({"at":0,"spec":{}})", 1).value(), out));
  for (int second = 1; second < 40; ++second) {
    const auto line = json::parse_line(any_line(second), static_cast<std::size_t>(second + 1));
    RC_ASSERT(line.has_value());
    DecisionsFilter before = filter;
    const auto taken = filter.take(*line, out);
    if (taken) continue;
    RC_ASSERT(taken.error().kind() == ErrorKind::kMalformed);
    RC_ASSERT(taken.error().culprit().starts_with("line "));
    filter = before;
  }
  for (const json::Object& answer : objects_of(out)) RC_ASSERT(answer.flag("valid").has_value());
}

}  // namespace
}  // namespace bellows::cli
