#include "config/recommender_source_settings.hpp"

#include <gtest/gtest.h>

#include "config/recommender_program_settings.hpp"
#include "config/run_settings.hpp"
#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

bool accepts(const std::string& key, const std::string& value) {
  return recommender_program_schema().apply({flags({{key, value}})}).has_value();
}

TEST(RecommenderProgram, RejectsValuesOutOfTheBoundsOfItsOwnSettings) {
  struct Case {
    std::string key;
    std::vector<std::string> valid;
    std::vector<std::string> refused;
  };
  for (const Case& each :
       std::vector<Case>{{"prometheus-timeout", {"100ms", "10m"}, {"99ms", "11m"}},
                         {"prometheus-address", {"127.0.0.1:9090", "unix:/a"}, {"9090"}},
                         {"prometheus-cadvisor-job-name", {"", "kubelet", "a b"}, {"a\"b", "a\\b"}},
                         {"workload-label", {"", "app", "_x"}, {"a.b", "1pod", "pod-name", "a b"}},
                         {"recommender-interval", {"100ms", "1m", "1h"}, {"99ms", "2h"}},
                         {"usage-interval", {"100ms", "1h"}, {"0s", "2h"}},
                         {"shadow-policies",
                          {"", "vpa", "vpa,spike,hybrid"},
                          {"vpa,", ",vpa", "vp", "vpa spike"}}}) {
    for (const auto& value : each.valid) EXPECT_TRUE(accepts(each.key, value)) << each.key << value;
    for (const auto& value : each.refused) {
      EXPECT_FALSE(accepts(each.key, value)) << each.key << " " << value;
    }
  }
}

TEST(RecommenderProgram, StartsWithVpasDefaults) {
  const auto settings = recommender_program_schema().apply({});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->listen.port, 8942);
  EXPECT_EQ(settings->listen.host, "127.0.0.1");  // not VPA's, which is in a pod
  EXPECT_EQ(settings->loop.interval, Duration(1min));
  EXPECT_TRUE(settings->prometheus.endpoint.empty());
}

TEST(OneMachine, HasShorterIntervalsAndTheRecommendersSettingsWithAPrefix) {
  const auto settings =
      run_schema().apply({environment_layer(run_schema().declarations(),
                                            {{"BELLOWS_RECOMMENDER_SCALE_UP_FACTOR", "3"}}),
                          flags({{"recommender-policy", "spike"}, {"window", "30s"}})});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->loop.interval, Duration(10s));
  EXPECT_EQ(settings->recommender.policy, RecommenderPolicy::kSpike);
  EXPECT_EQ(settings->recommender.spike.scale_up_factor, 3);
  EXPECT_EQ(settings->revision.window, Duration(30s)) << "not the recommender's window";
}

TEST(OneMachine, RulesOfTheRecommenderHoldWithThePrefixToo) {
  const auto settings = run_schema().apply({flags({{"recommender-threshold-scale-down", "0.9"}})});
  ASSERT_FALSE(settings.has_value());
  EXPECT_NE(problems_text(settings.error()).find("recommender-threshold-scale-up"),
            std::string::npos)
      << problems_text(settings.error());
}

}  // namespace
}  // namespace bellows::config
