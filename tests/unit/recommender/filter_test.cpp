// `recommender replay` as its users see it.
#include <gtest/gtest.h>

#include <sstream>

#include "recommender/replay/recommender_filter.hpp"

namespace bellows::recommender {
namespace {

/// What is printed for `lines`, then the error if there is one.
std::string replayed(const std::string& lines, const std::string& policy = "vpa") {
  RecommenderFilter filter({config::flag("policy", policy)});
  std::istringstream in(lines);
  std::ostringstream out;
  const auto fed = replay::feed(filter, in, out);
  return out.str() + (fed ? "" : to_string(fed.error()));
}

TEST(RecommenderReplay, AnswersPerContainerSortedByName) {
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

TEST(RecommenderReplay, SaysNullWithTheReasonWhereThereIsNothingToSay) {
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

TEST(RecommenderReplay, TakesSettingsByNameAndForgetsAllWithNew) {
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

TEST(RecommenderReplay, StopsAtALineThatItCannotUnderstand) {
  const std::string good = R"({"at":60,"container":"c","cpu-cores":0.1})"
                           "\n";
  for (const auto& [line, error] : {
           std::pair<const char*, const char*>{R"({"config":{"target-cpu-percentil":0.9}})",
                                               "line 2: config: target-cpu-percentil: "},
           {R"({"config":{"target-cpu-percentile":2}})",
            "line 2: config: target-cpu-percentile: \"2\": want a number from 0 to 1"},
           {R"({"config":{"scale-down-safety-factor":2}})",
            "line 2: config: scale-down-safety-factor: \"2\": want a number > 1 and < 2"},
           {R"({"config":{"container-policies":[{"container":"c","min-allowed":{"cpu":"2"},)"
            R"("max-allowed":{"cpu":"1"}}]}})",
            "line 2: config: container policy c: min-allowed cpu 2000m: want at most"},
           {R"({"at":59,"recommend":true})", "line 2: at: 59: want "},
           {R"({"at":61,"container":"c","cpu-cores":-1})", "line 2: cpu-cores: -1: want "},
           {R"({"at":61,"container":"c","cpu-cores":"1"})", "line 2: cpu-cores: \"1\": want "},
           {R"({"at":61,"container":"c","event":"fire"})", "line 2: event: \"fire\": want "},
           {R"({"at":61,"container":"c","event":"crash-loop"})", "line 2: active: missing: want "},
           {R"({"at":61,"container":"c"})", "line 2: cpu-cores: missing: want "},
           {R"({"at":61})", "line 2: container: missing: want "},
       }) {
    const std::string out = replayed(good + line + "\n");
    EXPECT_EQ(out.substr(0, std::string(error).size()), error) << line;
  }
}

TEST(RecommenderReplay, ChangesSettingsInTheMiddleWithoutForgetting) {
  const std::string out = replayed(R"({"at":60,"container":"c","cpu-cores":0.1}
{"config":{"recommendation-margin-fraction":0}}
{"at":61,"recommend":true}
)");
  EXPECT_NE(out.find(R"("target":{"cpu-millicores":110,)"), std::string::npos) << out;
}

TEST(RecommenderReplay, ExplainsEveryNumber) {
  RecommenderFilter filter({config::flag("policy", "vpa")});
  std::istringstream in(R"({"at":60,"container":"c","cpu-cores":0.1})");
  std::ostringstream out;
  ASSERT_TRUE(replay::feed(filter, in, out).has_value());
  const auto lines = filter.policy().explain(ContainerName("c"), filter.now());
  ASSERT_TRUE(lines.has_value());
  EXPECT_NE(
      std::find(lines->begin(), lines->end(), "  bucket 8 to 110.27m: 100.0 %, up to here 100.0 %"),
      lines->end());
  const auto nobody = filter.policy().explain(ContainerName("x"), filter.now());
  EXPECT_EQ(to_string(nobody.error()), "container x: there is none of that name; want one of: c");
}

}  // namespace
}  // namespace bellows::recommender
