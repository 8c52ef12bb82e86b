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
  EXPECT_EQ(why(subject),
            load +
                "; kept replicas were removed because the machine is full and the next replica of "
                "a busier service would not fit (`bellows status` names it)");
  EXPECT_EQ(next(subject), "More load brings replicas back at once, whether they fit or not");
}

TEST(MachineRoomExplained, OfAServiceWithLoadSaysWhatItNeeds) {
  Scene scene;
  scene.seen = load(6, 6, 2);
  scene.spec.scale_down_delay = seconds(600);
  scene.state.delay.record(at(-10), 2, seconds(600));
  scene.seen.room_limit = 1;
  expect_told(scene,
              "Over the last 1m it had 6 requests in flight on average, the target is 7 per "
              "replica, which takes 1");
  EXPECT_EQ(brief(decide(scene.spec, scene.seen, scene.state, at(0))),
            "6 requests in flight over 1m + 2.57 headroom: 8.57 / 10, rounded up: 1; lowered to 1 "
            "because the machine is full and another service needs the room");
}

TEST(MachineRoomExplained, OfAnIdleServiceSaysSinceWhenItIsIdle) {
  Scene scene;
  nobody_calls(scene, seconds(30), {});
  scene.seen.room_limit = 0;
  expect_told(scene, "No request for 30s, so no replica is needed");
  EXPECT_EQ(brief(decide(scene.spec, scene.seen, scene.state, at(0))),
            "no request for 30.0s; lowered to 0 because the machine is full and another service "
            "needs the room");
}

}  // namespace
}  // namespace bellows::autoscaler::explain::test
