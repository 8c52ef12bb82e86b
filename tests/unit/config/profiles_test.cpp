#include "config/profiles.hpp"

#include <gtest/gtest.h>

#include "config/run_settings.hpp"
#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

RevisionSettings with(Pairs pairs) {
  const auto settings = revision_schema().apply({flags(pairs)});
  return settings.has_value() ? *settings : RevisionSettings();
}

TEST(Profile, BellowsIsEqualToTheDefaults) {
  EXPECT_EQ(with({{"profile", "bellows"}}), RevisionSettings());
}

TEST(Profile, KnativeSetsItsNumbersAndOptions) {
  const RevisionSettings settings = with({{"profile", "knative"}});
  EXPECT_EQ(settings.max_scale_up_rate, 1000);
  EXPECT_EQ(settings.max_scale_down_rate, 2);
  EXPECT_EQ(settings.progress_deadline, std::chrono::minutes(10));
  EXPECT_EQ(settings.rules.weighted_mean, WeightedMean::kRaw);
  EXPECT_EQ(settings.rules.average_rounding, AverageRounding::kSixDecimals);
  EXPECT_EQ(settings.rules.rounding_tolerance, 0);
  EXPECT_EQ(settings.rules.no_data, NoData::kNoDecision);
  EXPECT_EQ(settings.rules.after_restart, AfterRestart::kPanic);
}

TEST(Profile, SeedSetsTheValuesOfTheDocumentOf2018) {
  const RevisionSettings settings = with({{"profile", "seed"}});
  EXPECT_EQ(settings.effective_target(), settings.total_target());
  EXPECT_EQ(settings.max_scale_up_rate, 10);
  EXPECT_EQ(settings.rules.keep_alive, KeepAlive::kConstant);
  EXPECT_EQ(settings.rules.idle_clock, std::chrono::minutes(5));
}

TEST(Profile, IsOverriddenByEveryLayer) {
  const auto settings =
      revision_schema().apply({file({{"max-scale-up-rate", "5"}}),
                               flags({{"keep-alive", "constant"}, {"profile", "knative"}})});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->max_scale_up_rate, 5);
  EXPECT_EQ(settings->rules.keep_alive, KeepAlive::kConstant);
  EXPECT_EQ(settings->rules.headroom, Headroom::kUtilization);
}

TEST(Profile, OfTheLastLayerCounts) {
  const auto settings =
      revision_schema().apply({file({{"profile", "knative"}}), flags({{"profile", "seed"}})});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->rules.keep_alive, KeepAlive::kConstant);
  EXPECT_EQ(settings->max_scale_up_rate, 10);
}

TEST(Profile, AppliesToTheDefaultsOfOneMachine) {
  const auto settings = run_schema().apply({flags({{"profile", "knative"}})});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->revision.max_scale_up_rate, 1000);
  EXPECT_EQ(settings->revision.max_scale, 8);
}

TEST(Profile, PrintsBackAChangeToTheValueOfTheDefaults) {
  RevisionSettings settings = with({{"profile", "knative"}});
  settings.max_scale_up_rate = 10;  // the default of profile bellows
  Layer layer;
  for (const auto& [name, text] : revision_schema().texts(settings))
    layer.push_back(flag(name, text));
  const auto read = revision_schema().apply({layer});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, settings);
  EXPECT_EQ(layer.size(), 2U);
}

}  // namespace
}  // namespace bellows::config
