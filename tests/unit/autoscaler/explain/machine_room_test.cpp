// What is told of replicas that went for another service, and of starts that would not fit.
#include <gtest/gtest.h>

#include <string>

#include "autoscaler/explain/catalogue.hpp"
#include "tests/unit/autoscaler/explain/clock_text.hpp"
#include "tests/unit/autoscaler/explain/rule_scene.hpp"

namespace bellows::autoscaler::explain::test {
namespace {

void expect_told(const Scene& scene, const std::string& load) {
  const Decision decision = decide(scene.spec, scene.seen, scene.state, at(0));
  ASSERT_EQ(decision.rule, Rule::kMachineRoom);
  const ClockText clock = clock_text;
  const Subject subject{decision, scene.state.idle_times, clock};
  EXPECT_EQ(why(subject), load +
                              " because the machine is full and another service needs the room "
                              "(`bellows status` names it)");
  EXPECT_EQ(next(subject), "More load brings replicas back at once, whether they fit or not");
}

TEST(MachineRoomExplained, OfAServiceWithLoadSaysWhatItNeeds) {
  Scene scene;
  scene.seen = load(6, 6, 2);
  scene.spec.scale_down_delay = seconds(600);
  scene.state.delay.record(at(-10), 2, seconds(600));
  scene.seen.room_limit = 1;
  expect_told(
      scene,
      "6 requests in flight over 1m + 2.57 headroom: 8.57 / 10, rounded up: 1; lowered to 1");
}

TEST(MachineRoomExplained, OfAnIdleServiceSaysSinceWhenItIsIdle) {
  Scene scene;
  nobody_calls(scene, seconds(30), {});
  scene.seen.room_limit = 0;
  expect_told(scene, "no request for 30.0s; lowered to 0");
}

}  // namespace
}  // namespace bellows::autoscaler::explain::test
