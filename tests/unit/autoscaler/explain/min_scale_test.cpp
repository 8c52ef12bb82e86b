// What is told of a minimum, by who asks for it.
#include <gtest/gtest.h>

#include <string>

#include "autoscaler/explain/catalogue.hpp"
#include "tests/unit/autoscaler/explain/rule_scene.hpp"

namespace bellows::autoscaler::explain::test {
namespace {

using config::MinScaleFrom;

std::string told_of(MinScaleFrom from) {
  Scene scene;
  nobody_calls(scene, seconds(600), {});
  scene.spec.min_scale = 2;
  scene.spec.min_scale_from = from;
  return brief(decide(scene.spec, scene.seen, scene.state, at(0)));
}

TEST(MinScaleExplained, NamesTheSettingTheDeployOrTheSlowBrain) {
  const std::string nobody = "0 requests in flight over 1m: 0 / 7 = 0; raised to 2 by ";
  EXPECT_EQ(told_of(MinScaleFrom::kSetting), nobody + "min-scale");
  EXPECT_EQ(told_of(MinScaleFrom::kDeploy),
            nobody + "a deploy, which keeps what it started for one window");
  EXPECT_EQ(told_of(MinScaleFrom::kSlowBrain), nobody + "the slow brain, for loads that jump");
}

}  // namespace
}  // namespace bellows::autoscaler::explain::test
