// What is told of a minimum, by who asks for it.
#include <gtest/gtest.h>

#include <string>

#include "autoscaler/explain/catalogue.hpp"
#include "tests/unit/autoscaler/explain/clock_text.hpp"
#include "tests/unit/autoscaler/explain/rule_scene.hpp"

namespace bellows::autoscaler::explain::test {
namespace {

using config::MinScaleFrom;

struct Told {
  std::string why;
  std::string brief;
};

Told told_of(MinScaleFrom from) {
  Scene scene;
  nobody_calls(scene, seconds(600), {});
  scene.spec.min_scale = 2;
  scene.spec.min_scale_from = from;
  const Decision decision = decide(scene.spec, scene.seen, scene.state, at(0));
  EXPECT_EQ(decision.rule, Rule::kMinScale);
  const ClockText clock = clock_text;
  const Subject subject{decision, scene.state.idle_times, clock};
  return {why(subject), brief(decision)};
}

TEST(MinScaleExplained, NamesTheSettingTheDeployOrTheSlowBrain) {
  const std::string nobody = "No request for 10m, so no replica is needed, but ";
  const Told by_user = told_of(MinScaleFrom::kSetting);
  EXPECT_EQ(by_user.why, nobody + "min-scale is 2");
  EXPECT_TRUE(by_user.brief.ends_with("; raised to 2 by min-scale")) << by_user.brief;

  const Told by_deploy = told_of(MinScaleFrom::kDeploy);
  EXPECT_EQ(by_deploy.why,
            nobody + "a deploy started it with 2 replicas, and keeps them for one window");
  EXPECT_TRUE(by_deploy.brief.ends_with(
      "; raised to 2 by a deploy, which keeps what it started for one window"));

  const Told by_slow_brain = told_of(MinScaleFrom::kSlowBrain);
  EXPECT_EQ(by_slow_brain.why, nobody + "the slow brain keeps 2 replicas for loads that jump");
  EXPECT_TRUE(
      by_slow_brain.brief.ends_with("; raised to 2 by the slow brain, for loads that jump"));
}

}  // namespace
}  // namespace bellows::autoscaler::explain::test
