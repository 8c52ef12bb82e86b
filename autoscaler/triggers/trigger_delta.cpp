// The formulas of maestro.md 1.4 and 1.9, in integers where floating point misrounds.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "autoscaler/triggers/fixed_targets.hpp"
#include "autoscaler/triggers/trigger_engine.hpp"

namespace bellows::autoscaler::triggers {
namespace {

constexpr std::int64_t kMaxDelta = 1'000'000;

/// Rounds to the nearest whole number, half away from zero.
std::int64_t round_div(std::int64_t value, std::int64_t by) {
  const std::int64_t twice = 2 * std::abs(value) + by;
  return (value < 0 ? -1 : 1) * (twice / (2 * by));
}

double share(const std::optional<Consumption>& used) {
  if (!used || used->requests <= 0) return kUnknownUsage;
  return used->usage / used->requests;
}

double occupied_share(const Tick& tick) {
  const PodCount total = tick.rooms.available();
  if (total <= 0) return kUnknownUsage;
  if (tick.slots > 1) {
    if (!tick.load) return kUnknownUsage;
    return *tick.load / (static_cast<double>(total) * tick.slots);
  }
  return static_cast<double>(tick.rooms.occupied) / total;
}

/// Rounds a change to whole replicas; with slots to the replicas that are certainly needed (up) or
/// free (down).
std::int64_t room_delta(const Trigger& trigger, const Tick& tick) {
  const std::int64_t slots = tick.slots;
  const std::int64_t total = std::int64_t{tick.rooms.available()} * slots;
  if (slots == 1) {
    return round_div(std::int64_t{tick.rooms.occupied} * 100 - trigger.usage * total,
                     trigger.usage);
  }
  // A part of a slot counts as a slot in use, so that the last replica stays while requests arrive.
  const auto load = static_cast<std::int64_t>(std::ceil(tick.load.value_or(0) - 1e-9));
  const std::int64_t change = round_div(load * 100 - trigger.usage * total, trigger.usage);
  return change > 0 ? divide_up(change, slots) : change / slots;
}

/// Rounds the ratio to two decimals, which keeps exact ratios exact and is a small dead band.
std::int64_t resource_delta(const Trigger& trigger, const Tick& tick, double usage) {
  const double percent = std::min(usage * 10'000 / trigger.usage, 1e9);
  const std::int64_t ratio = std::llround(percent);
  const std::int64_t total = tick.rooms.available();
  return divide_up(ratio * total, 100) - total;
}

}  // namespace

double usage_of(TriggerType type, const Tick& tick) {
  switch (type) {
    case TriggerType::kCpu:
      return share(tick.cpu);
    case TriggerType::kMemory:
      return share(tick.memory);
    case TriggerType::kLegacy:
    case TriggerType::kRoom:
    case TriggerType::kBuffer:
    case TriggerType::kRoomOccupancy:
      break;
  }
  return occupied_share(tick);
}

PodCount delta_of(const Trigger& trigger, const Tick& tick) {
  const double usage = usage_of(trigger.type, tick);
  std::int64_t delta = 0;
  if (trigger.type == TriggerType::kBuffer) {
    delta = buffered(tick.rooms.occupied, trigger.amount) - tick.rooms.available();
  } else if (trigger.type == TriggerType::kRoomOccupancy) {
    delta = with_free_share(tick.rooms.occupied, trigger.ready_target) - tick.rooms.available();
  } else if (trigger.type == TriggerType::kLegacy) {
    delta = trigger.delta;
  } else if (std::isnan(usage)) {
    delta = 0;
  } else if (trigger.type == TriggerType::kRoom) {
    delta = room_delta(trigger, tick);
  } else {
    delta = resource_delta(trigger, tick, usage);
  }
  return static_cast<PodCount>(std::clamp(delta, -kMaxDelta, kMaxDelta));
}

}  // namespace bellows::autoscaler::triggers
