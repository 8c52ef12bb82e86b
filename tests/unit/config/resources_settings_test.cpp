#include "config/resources_settings.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "config/bellows_file.hpp"
#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

/// The resources of the service that `bellows run` makes of these flags.
ResourcesSettings of_run(Pairs words) {
  const auto settings = run_schema().apply({flags(words)});
  EXPECT_TRUE(settings.has_value()) << (settings ? "" : problems_text(settings.error()));
  return single_service(*settings, {"app"})->settings.resources;
}

TEST(ResourcesSettings, NothingIsMeasuredByDefault) {
  const ResourcesSettings resources = of_run({});
  EXPECT_EQ(resources.mode, ResourcesMode::kOff);
  EXPECT_EQ(resources.cpu, std::nullopt);
  EXPECT_EQ(resources.memory, std::nullopt);
}

TEST(ResourcesSettings, RecommendIsShortForAutoUnlessAModeIsSet) {
  EXPECT_EQ(of_run({{"recommend", "true"}}).mode, ResourcesMode::kAuto);
  EXPECT_EQ(of_run({{"recommend", "true"}, {"resources-mode", "advise"}}).mode,
            ResourcesMode::kAdvise);
}

TEST(ResourcesSettings, InitialRequestsHaveTheUnitsOfKubernetes) {
  const ResourcesSettings resources =
      of_run({{"recommend", "true"}, {"cpu", "0.25"}, {"memory", "64Mi"}});
  EXPECT_EQ(resources.cpu, Millicores{250});
  EXPECT_EQ(resources.memory, mebibytes(64));
}

TEST(ResourcesSettings, NothingIsRecommendedBeyondTheMaximumSoTheMinimumIsAtMostThat) {
  for (const auto& [min, max, is_valid] :
       std::vector<std::tuple<Pairs::value_type, Pairs::value_type, bool>>{
           {{"min-allowed-cpu", "200m"}, {"max-allowed-cpu", "200m"}, true},
           {{"min-allowed-cpu", "201m"}, {"max-allowed-cpu", "200m"}, false},
           {{"min-allowed-memory", "64Mi"}, {"max-allowed-memory", "1Gi"}, true},
           {{"min-allowed-memory", "2Gi"}, {"max-allowed-memory", "1Gi"}, false}}) {
    const auto read = run_schema().apply({flags({min, max})});
    EXPECT_EQ(read.has_value(), is_valid) << min.first << " " << min.second;
    if (!read) {
      EXPECT_NE(problems_text(read.error()).find(min.first + " at most " + max.first),
                std::string::npos);
    }
  }
}

TEST(ResourcesSettings, TheModeMayHaveADotInAFile) {
  const auto settings = run_schema().apply({flags({{"resources.mode", "initial"}})});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->revision.resources.mode, ResourcesMode::kInitial);
  EXPECT_EQ(to_string(settings->revision.resources.mode), "initial");
}

}  // namespace
}  // namespace bellows::config
