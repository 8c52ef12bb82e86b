// What holds for any settings and any load.
#include <gtest/gtest.h>
// After gtest.
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "autoscaler/triggers/trigger_engine.hpp"

namespace bellows::autoscaler::triggers {
namespace {

Config any_config() {
  Config config;
  config.min = *rc::gen::inRange(0, 5);
  config.max = *rc::gen::element(0, 10, 40);
  config.up.cooldown = std::chrono::seconds(*rc::gen::inRange(0, 100));
  config.down.cooldown = std::chrono::seconds(*rc::gen::inRange(0, 100));
  const int points = *rc::gen::inRange(1, 12);
  config.up.triggers = {{.type = TriggerType::kRoom,
                         .usage = *rc::gen::inRange(50, 100),
                         .threshold = *rc::gen::inRange(1, 101),
                         .limit = *rc::gen::element(0, 95),
                         .points = points}};
  config.down.triggers = {{.type = TriggerType::kRoom,
                           .usage = *rc::gen::inRange(1, 50),
                           .threshold = *rc::gen::inRange(1, 101),
                           .points = *rc::gen::inRange(1, 12)}};
  return config;
}

Tick tick_at(int seconds, PodCount occupied, PodCount total) {
  Tick tick;
  tick.at = TimePoint(std::chrono::seconds(seconds));
  tick.rooms = {.creating = 0, .ready = total - occupied, .occupied = occupied, .terminating = 0};
  return tick;
}

RC_GTEST_PROP(Triggers, NeverLeaveTheBoundsNorBreakACooldown, ()) {
  const Config config = any_config();
  Memory memory;
  fit(memory, config);
  PodCount total = 5;
  for (int step = 0; step < 60; ++step) {
    const PodCount occupied = *rc::gen::inRange(0, total + 1);
    const Tick tick = tick_at(10 * step, occupied, total);
    const Outcome outcome = decide(config, memory, tick);
    if (outcome.step == Step::kThreshold && memory.last_scale) {
      const Duration cooldown = outcome.is_up ? config.up.cooldown : config.down.cooldown;
      RC_ASSERT(tick.at - *memory.last_scale > cooldown);
    }
    total += outcome.applied;
    RC_ASSERT(total >= config.min);
    RC_ASSERT(config.max == 0 || total <= config.max);
    remember(memory, config, tick, outcome);
  }
}

RC_GTEST_PROP(Triggers, MoreOccupiedReplicasNeverGiveFewer, ()) {
  const Config config = any_config();
  Memory memory;
  fit(memory, config);
  constexpr PodCount kTotal = 20;
  for (int step = 0; step < 15; ++step) {
    const Tick tick = tick_at(10 * step, *rc::gen::inRange(0, kTotal + 1), kTotal);
    remember(memory, config, tick, decide(config, memory, tick));
  }
  PodCount before = -kTotal;
  for (PodCount occupied = 0; occupied <= kTotal; ++occupied) {
    const PodCount applied = decide(config, memory, tick_at(1000, occupied, kTotal)).applied;
    RC_ASSERT(applied >= before);
    before = applied;
  }
}

RC_GTEST_PROP(UsageHistory, RunningSumsEqualACountOfThePoints, ()) {
  UsageHistory history;
  history.resize(*rc::gen::inRange(1, 20));
  Beyond sum{.window = *rc::gen::inRange(1, history.capacity() + 1), .target = 0.5, .is_up = true};
  for (const int percent : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100))) {
    sum.count = sum.count_with(percent / 100.0, history);
    history.push(percent / 100.0);
    Beyond counted = sum;
    counted.recount(history);
    RC_ASSERT(counted.count == sum.count);
  }
}

}  // namespace
}  // namespace bellows::autoscaler::triggers
