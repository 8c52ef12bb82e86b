// What is told of requests that outlast a start.
#include <gtest/gtest.h>

#include "autoscaler/explain/catalogue.hpp"
#include "tests/unit/autoscaler/explain/clock_text.hpp"
#include "tests/unit/autoscaler/explain/rule_scene.hpp"

namespace bellows::autoscaler::explain::test {
namespace {

TEST(LastingLoadExplained, SaysWhoIsThereAndWhoWaits) {
  Scene scene;
  scene.seen = load(6, 7, 1);
  scene.seen.newest = 12;
  scene.seen.waiting = 2;
  scene.seen.start_time = seconds(2);
  scene.state.service_seconds = 60;
  const Decision decision = decide(scene.spec, scene.seen, scene.state, at(0));
  ASSERT_EQ(decision.rule, Rule::kLasting);
  const ClockText clock = clock_text;
  const Subject subject{decision, scene.state.idle_times, clock};
  EXPECT_EQ(why(subject),
            "The newest second had 12 requests in flight and 2 wait; those that are still there "
            "when a replica has started (2.00s) need a slot each, which takes 2 (the last 1m alone "
            "would take 1)");
  EXPECT_EQ(next(subject), "Panic mode starts at 2 times the target per replica; the load is at 1");
  EXPECT_EQ(brief(decision),
            "6 requests in flight over 1m + 2.57 headroom: 8.57 / 10, rounded up: 1; of 12 in the "
            "newest second more outlast a start (2.00s): 2");
}

}  // namespace
}  // namespace bellows::autoscaler::explain::test
