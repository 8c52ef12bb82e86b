// What holds for any settings and any load.
#include <gtest/gtest.h>
// After gtest.
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "autoscaler/triggers/trigger_engine.hpp"

namespace bellows::autoscaler::triggers {
namespace {

TriggerType any_measure() {
  return *rc::gen::element(TriggerType::kRoom, TriggerType::kCpu, TriggerType::kMemory);
}

/// Up to `most` triggers a direction; several also of types that need no history.
Config any_config(int most) {
  Config config;
  config.min = *rc::gen::inRange(0, 5);
  config.max = *rc::gen::element(0, 10, 40);
  config.up.cooldown = std::chrono::seconds(*rc::gen::inRange(0, 100));
  config.down.cooldown = std::chrono::seconds(*rc::gen::inRange(0, 100));
  for (int i = *rc::gen::inRange(1, most + 1); i > 0; --i) {
    config.up.triggers.push_back({.type = any_measure(),
                                  .usage = *rc::gen::inRange(50, 100),
                                  .threshold = *rc::gen::inRange(1, 101),
                                  .limit = *rc::gen::element(0, 95),
                                  .points = *rc::gen::inRange(1, 12)});
  }
  for (int i = *rc::gen::inRange(1, most + 1); i > 0; --i) {
    config.down.triggers.push_back({.type = any_measure(),
                                    .usage = *rc::gen::inRange(1, 50),
                                    .threshold = *rc::gen::inRange(1, 101),
                                    .points = *rc::gen::inRange(1, 12)});
  }
  if (most == 1) return config;
  const PodCount amount = *rc::gen::inRange(1, 10);
  config.up.triggers.push_back({.type = TriggerType::kBuffer, .amount = amount});
  config.down.triggers.push_back({.type = TriggerType::kBuffer, .amount = amount});
  config.up.triggers.push_back({.type = TriggerType::kLegacy,
                                .usage = 60,
                                .delta = *rc::gen::inRange(1, 100),
                                .points = *rc::gen::inRange(1, 12)});
  return config;
}

Tick tick_at(int seconds, PodCount occupied, PodCount total) {
  Tick tick;
  tick.at = TimePoint(std::chrono::seconds(seconds));
  tick.rooms = {.creating = 0, .ready = total - occupied, .occupied = occupied, .terminating = 0};
  tick.cpu = Consumption{.usage = 0.9 * occupied, .requests = 1.0 * total};
  tick.memory = Consumption{.usage = 8e8 * occupied, .requests = 1e9 * total};
  return tick;
}

RC_GTEST_PROP(Triggers, NeverLeaveTheBoundsNorBreakACooldown, ()) {
  const Config config = any_config(3);
  Memory memory;
  fit(memory, config);
  PodCount total = 5;
  for (int step = 0; step < 60; ++step) {
    const PodCount occupied = *rc::gen::inRange(0, total + 1);
    Tick tick = tick_at(10 * step, occupied, total);
    if (*rc::gen::inRange(0, 5) == 0) tick.cpu.reset();
    const Outcome outcome = decide(config, memory, tick);
    const bool waits =
        outcome.step == Step::kThreshold || (outcome.step == Step::kAtOnce && !outcome.is_up);
    if (waits && memory.last_scale) {
      const Duration cooldown = outcome.is_up ? config.up.cooldown : config.down.cooldown;
      RC_ASSERT(tick.at - *memory.last_scale > cooldown);
    }
    total += outcome.applied;
    RC_ASSERT(total >= config.min);
    RC_ASSERT(config.max == 0 || total <= config.max);
    remember(memory, config, tick, outcome);
  }
}

/// Of several triggers the first that fires decides, as in Maestro, whatever a later one asks for.
RC_GTEST_PROP(Triggers, MoreOccupiedReplicasNeverGiveFewer, ()) {
  const Config config = any_config(1);
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
  Beyond sum{.window = *rc::gen::inRange(1, history.capacity() + 1), .target = 50};
  sum.is_up = *rc::gen::arbitrary<bool>();
  for (const int percent : *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1, 100))) {
    sum.count = sum.count_with(percent, history);
    history.push(percent);
    Beyond counted = sum;
    counted.recount(history);
    RC_ASSERT(counted.count == sum.count);
  }
}

}  // namespace
}  // namespace bellows::autoscaler::triggers
