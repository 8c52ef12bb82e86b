// The sentences of the trigger policy.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "autoscaler/triggers/trigger_engine.hpp"
#include "base/duration_text.hpp"
#include "base/number_text.hpp"

namespace bellows::autoscaler::triggers {
namespace {

constexpr std::array<std::string_view, 5> kStates = {"creating", "in-sync", "subdimensioned",
                                                     "overdimensioned", "terminating"};

std::string counted(PodCount count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string percent(double share) {
  return std::to_string(std::llround(share * 100)) + " %";
}

const Trigger* trigger_of(const Config& config, const Outcome& outcome) {
  const auto& list = outcome.is_up ? config.up.triggers : config.down.triggers;
  const auto index = static_cast<std::size_t>(outcome.index);
  return outcome.index >= 0 && index < list.size() ? &list[index] : nullptr;
}

std::string measured(const Trigger& trigger, const Tick& tick, const Outcome& outcome) {
  const PodCount total = tick.rooms.available();
  switch (trigger.type) {
    case TriggerType::kCpu:
      return percent(outcome.usage) + " of the requested CPU is used";
    case TriggerType::kMemory:
      return percent(outcome.usage) + " of the requested memory is used";
    default:
      break;
  }
  if (tick.slots > 1) {
    const std::string load =
        tick.load ? readable_text(std::round(*tick.load * 10) / 10) : "an unknown number";
    return load + " of " + std::to_string(std::int64_t{total} * tick.slots) + " slots are in use";
  }
  return std::to_string(tick.rooms.occupied) + " of " + counted(total, "replica") + " are occupied";
}

std::string fired(const Config& config, const Trigger& trigger, const Tick& tick,
                  const Outcome& outcome) {
  std::string text = measured(trigger, tick, outcome);
  if (!has_history(trigger.type)) return text;
  if (outcome.step == Step::kLimit) {
    return text + ", at or over the limit of " + std::to_string(trigger.limit) + " %";
  }
  const auto span = duration_text(trigger.points * config.period);
  return text + ", and at " + std::to_string(outcome.beyond) + " of the last " +
         std::to_string(trigger.points + 1) + " points (" + span + ") it was " +
         (outcome.is_up ? "over " : "under ") + std::to_string(trigger.usage) + " %";
}

std::string change(const Outcome& outcome) {
  std::string text = (outcome.delta > 0 ? "+" : "") + std::to_string(outcome.delta);
  if (outcome.applied != outcome.delta) {
    text +=
        ", " + std::to_string(outcome.applied) + " within " + (outcome.delta > 0 ? "max" : "min");
  }
  return text;
}

}  // namespace

std::string_view to_string(State state) {
  return kStates.at(static_cast<std::size_t>(state));
}

std::optional<State> state_named(std::string_view name) {
  const auto found = std::ranges::find(kStates, name);
  if (found == kStates.end()) return std::nullopt;
  return static_cast<State>(found - kStates.begin());
}

std::string trigger_name(const Config& config, const Outcome& outcome) {
  if (const Trigger* trigger = trigger_of(config, outcome)) {
    return (outcome.is_up ? "up[" : "down[") + std::to_string(outcome.index) + "] " +
           std::string(to_string(trigger->type));
  }
  switch (outcome.step) {
    case Step::kBelowMin:
      return "min";
    case Step::kAboveMax:
      return "max";
    case Step::kPanic:
      return "panic scale";
    default:
      return "none";
  }
}

std::string reason(const Config& config, const Tick& tick, const Outcome& outcome) {
  const std::string available = counted(tick.rooms.available(), "replica");
  const Trigger* trigger = trigger_of(config, outcome);
  switch (outcome.step) {
    case Step::kNotDecided:
      return "the state is " + std::string(to_string(outcome.state)) + ": no decision";
    case Step::kBelowMin:
      return available + ", fewer than min " + std::to_string(config.min) + ": " + change(outcome);
    case Step::kAboveMax:
      return available + ", more than max " + std::to_string(config.max) + ": " + change(outcome);
    case Step::kPanic:
      return std::to_string(tick.rooms.occupied) + " of " + available +
             " are occupied, over the panic limit of " + std::to_string(config.panic->limit) +
             " %: " + change(outcome);
    case Step::kNoData:
      return "no trigger fired, and the usage of one is unknown: held";
    case Step::kNothing:
      return "no trigger fired";
    case Step::kCooling:
      return trigger_name(config, outcome) + ": " + fired(config, *trigger, tick, outcome) +
             ", but it is still in cooldown for " + rounded_duration_text(outcome.cooling);
    case Step::kLimit:
    case Step::kThreshold:
    case Step::kAtOnce:
      break;
  }
  return trigger_name(config, outcome) + ": " + fired(config, *trigger, tick, outcome) + ": " +
         change(outcome);
}

}  // namespace bellows::autoscaler::triggers
