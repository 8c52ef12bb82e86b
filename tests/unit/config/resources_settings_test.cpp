#include "config/resources_settings.hpp"

#include <gtest/gtest.h>

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

TEST(ResourcesSettings, TheModeMayHaveADotInAFile) {
  const auto settings = run_schema().apply({flags({{"resources.mode", "initial"}})});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->revision.resources.mode, ResourcesMode::kInitial);
  EXPECT_EQ(to_string(settings->revision.resources.mode), "initial");
}

}  // namespace
}  // namespace bellows::config
