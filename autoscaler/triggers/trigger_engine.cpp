#include "autoscaler/triggers/trigger_engine.hpp"

#include <algorithm>
#include <cmath>

#include "autoscaler/triggers/fixed_targets.hpp"

namespace bellows::autoscaler::triggers {
namespace {

constexpr Point kPercent = 10'000;  // millionths

/// Joins the lists of both directions: up's triggers, then down's.
const Trigger& trigger_at(const Config& config, std::size_t place) {
  const std::size_t ups = config.up.triggers.size();
  return place < ups ? config.up.triggers[place] : config.down.triggers[place - ups];
}

std::size_t places(const Config& config) {
  return config.up.triggers.size() + config.down.triggers.size();
}

std::array<std::int32_t, kMeasures> capacities(const Config& config) {
  std::array<std::int32_t, kMeasures> points{};
  for (std::size_t place = 0; place < places(config); ++place) {
    const Trigger& trigger = trigger_at(config, place);
    if (!has_history(trigger.type)) continue;
    auto& kept = points.at(static_cast<std::size_t>(trigger.type));
    kept = std::max(kept, trigger.points + 1);  // the end is inclusive (maestro.md 1.2)
  }
  return points;
}

Beyond sum_of(const Config& config, std::size_t place) {
  const Trigger& trigger = trigger_at(config, place);
  const bool counts = has_history(trigger.type);
  return {.measure = static_cast<std::uint8_t>(trigger.type),
          .is_up = place < config.up.triggers.size(),
          .window = counts ? trigger.points + 1 : 0,
          .target = trigger.usage * kPercent,
          .count = 0};
}

bool is_same_sum(const Beyond& one, const Beyond& other) {
  return one.measure == other.measure && one.window == other.window && one.target == other.target &&
         one.is_up == other.is_up;
}

/// Limits the change by min and max (maestro.md 1.3, execution).
PodCount clamped(const Config& config, PodCount available, PodCount delta) {
  if (delta > 0) {
    if (config.max > 0) delta = std::max(0, std::min(delta, config.max - available));
    return std::max(delta, config.min - available);
  }
  if (delta == 0) return 0;
  if (config.min > 0 && available <= config.min) return 0;
  return std::max(delta, config.min - available);
}

class Walk {
 public:
  Walk(const Config& config, const Memory& memory, const Tick& tick)
      : config_(config), memory_(memory), tick_(tick) {}

  Outcome run();
  Outcome run_between();

 private:
  bool correct_bounds();
  /// Returns true if a trigger decided.
  bool walk_up();
  bool walk_down();
  bool try_limit(const Trigger& trigger, std::int32_t index);
  bool try_at_once(const Trigger& trigger, std::int32_t index, bool is_up);
  bool try_points(const Trigger& trigger, std::int32_t index, bool is_up);
  bool scale_in_panic();
  bool is_undecided() const {
    const State recorded = tick_.state.value_or(memory_.state);
    return recorded == State::kCreating || recorded == State::kTerminating;
  }
  const Outcome& clamp();

  bool accept(Step step, bool is_up, std::int32_t index, PodCount delta);
  /// Returns true if the last change is older than this direction's cooldown.
  bool wait_is_over(Duration cooldown) const {
    return !memory_.last_scale || tick_.at - *memory_.last_scale > cooldown;
  }
  void cool(bool is_up, std::int32_t index, Duration cooldown);
  double usage(TriggerType type) { return usage_of(type, tick_); }

  const Config& config_;
  const Memory& memory_;
  const Tick& tick_;
  Outcome outcome_;
  bool has_fired_ = false;  // a trigger, within its cooldown
  bool is_unknown_ = false;
};

bool Walk::accept(Step step, bool is_up, std::int32_t index, PodCount delta) {
  outcome_.step = step;
  outcome_.is_up = is_up;
  outcome_.index = index;
  outcome_.delta = delta;
  outcome_.state = State::kInSync;
  return true;
}

void Walk::cool(bool is_up, std::int32_t index, Duration cooldown) {
  if (has_fired_) return;  // the first one is the reason
  has_fired_ = true;
  accept(Step::kCooling, is_up, index, 0);
  outcome_.cooling = *memory_.last_scale + cooldown - tick_.at;
  outcome_.state = is_up ? State::kTooFew : State::kTooMany;
}

bool Walk::correct_bounds() {
  const PodCount available = tick_.rooms.available();
  if (available < config_.min) return accept(Step::kBelowMin, true, -1, config_.min - available);
  if (config_.max > 0 && available > config_.max) {
    return accept(Step::kAboveMax, false, -1, config_.max - available);
  }
  return false;
}

bool Walk::try_limit(const Trigger& trigger, std::int32_t index) {
  if (trigger.limit == 0 || !has_history(trigger.type)) return false;
  const double now = usage(trigger.type);
  if (point_of(now) < trigger.limit * kPercent) return false;
  const PodCount delta = delta_of(trigger, tick_);
  if (delta <= 0) return false;  // an up trigger never scales down
  outcome_.usage = now;
  return accept(Step::kLimit, true, index, delta);
}

bool Walk::try_at_once(const Trigger& trigger, std::int32_t index, bool is_up) {
  if (has_history(trigger.type)) return false;
  const PodCount delta = delta_of(trigger, tick_);
  if (is_up ? delta <= 0 : delta >= 0) return false;
  if (!is_up) {
    const PodCount desired = tick_.rooms.available() + delta;
    const PodCount free = tick_.rooms.available() - tick_.rooms.occupied;
    const bool is_guarded =
        trigger.type == TriggerType::kRoomOccupancy &&
        !may_scale_down(desired, trigger.ready_target, free, trigger.down_threshold);
    if (is_guarded) return false;
    if (!wait_is_over(config_.down.cooldown)) {
      cool(is_up, index, config_.down.cooldown);
      return false;
    }
  }
  outcome_.usage = usage(trigger.type);
  return accept(Step::kAtOnce, is_up, index, delta);
}

bool Walk::try_points(const Trigger& trigger, std::int32_t index, bool is_up) {
  if (!has_history(trigger.type)) return false;
  const double now = usage(trigger.type);
  is_unknown_ = is_unknown_ || std::isnan(now);
  const auto place = static_cast<std::size_t>(index) + (is_up ? 0 : config_.up.triggers.size());
  const auto& points = memory_.points.at(static_cast<std::size_t>(trigger.type));
  const std::int32_t beyond = memory_.beyond[place].count_with(point_of(now), points);
  const bool fires = std::int64_t{beyond} * 100 > std::int64_t{trigger.threshold} * trigger.points;
  if (!fires || std::isnan(now)) return false;
  const PodCount delta = delta_of(trigger, tick_);
  if (is_up ? delta <= 0 : delta >= 0) return false;
  const Duration cooldown = is_up ? config_.up.cooldown : config_.down.cooldown;
  if (!has_fired_) {
    outcome_.usage = now;
    outcome_.beyond = beyond;
  }
  if (!wait_is_over(cooldown)) {
    cool(is_up, index, cooldown);
    return false;
  }
  outcome_.usage = now;
  outcome_.beyond = beyond;
  return accept(Step::kThreshold, is_up, index, delta);
}

bool Walk::walk_up() {
  if (config_.max > 0 && tick_.rooms.available() >= config_.max) return false;
  std::int32_t index = 0;
  for (const Trigger& trigger : config_.up.triggers) {
    const bool is_decided = try_limit(trigger, index) || try_at_once(trigger, index, true) ||
                            try_points(trigger, index, true);
    if (is_decided) return true;
    ++index;
  }
  return false;
}

bool Walk::walk_down() {
  if (has_fired_ || tick_.rooms.available() <= config_.min) return false;
  std::int32_t index = 0;
  for (const Trigger& trigger : config_.down.triggers) {
    if (try_at_once(trigger, index, false) || try_points(trigger, index, false)) return true;
    ++index;
  }
  return false;
}

/// Applies the panic scale if a replica became occupied and none is being created (maestro.md 1.5).
bool Walk::scale_in_panic() {
  if (!config_.panic || tick_.rooms.occupied <= memory_.occupied) return false;
  const PodCount available = tick_.rooms.available();
  const bool is_over =
      std::int64_t{tick_.rooms.occupied} * 100 > std::int64_t{available} * config_.panic->limit;
  if (!is_over || tick_.rooms.creating > 0) return false;
  return accept(Step::kPanic, true, -1, config_.panic->delta);
}

const Outcome& Walk::clamp() {
  outcome_.applied = clamped(config_, tick_.rooms.available(), outcome_.delta);
  return outcome_;
}

Outcome Walk::run_between() {
  outcome_.state = memory_.state;
  if (!is_undecided()) scale_in_panic();
  return clamp();
}

Outcome Walk::run() {
  if (is_undecided()) {
    outcome_.step = Step::kNotDecided;
    outcome_.state = tick_.state.value_or(memory_.state);
    return outcome_;
  }
  if (!correct_bounds() && !walk_up() && !walk_down() && !scale_in_panic() && !has_fired_) {
    outcome_ = {};
    outcome_.step = is_unknown_ ? Step::kNoData : Step::kNothing;
  }
  return clamp();
}

}  // namespace

void fit(Memory& memory, const Config& config) {
  const std::size_t count = places(config);
  bool fits = memory.beyond.size() == count;
  for (std::size_t place = 0; fits && place < count; ++place) {
    fits = is_same_sum(memory.beyond[place], sum_of(config, place));
  }
  if (fits) return;
  const auto kept = capacities(config);
  for (std::size_t type = 0; type < kMeasures; ++type) {
    memory.points.at(type).resize(kept.at(type));
  }
  memory.beyond.clear();
  for (std::size_t place = 0; place < count; ++place) {
    Beyond sum = sum_of(config, place);
    const Trigger& trigger = trigger_at(config, place);
    if (has_history(trigger.type)) {
      sum.recount(memory.points.at(static_cast<std::size_t>(trigger.type)));
    }
    memory.beyond.push_back(sum);
  }
}

Outcome decide(const Config& config, const Memory& memory, const Tick& tick) {
  return Walk(config, memory, tick).run();
}

void remember(Memory& memory, const Config& config, const Tick& tick, const Outcome& outcome) {
  fit(memory, config);
  for (std::size_t place = 0; place < memory.beyond.size(); ++place) {
    const TriggerType type = trigger_at(config, place).type;
    if (!has_history(type)) continue;
    Beyond& sum = memory.beyond[place];
    sum.count = sum.count_with(point_of(usage_of(type, tick)),
                               memory.points.at(static_cast<std::size_t>(type)));
  }
  for (std::size_t type = 0; type < kMeasures; ++type) {
    UsageHistory& points = memory.points.at(type);
    if (points.capacity() > 0)
      points.push(point_of(usage_of(static_cast<TriggerType>(type), tick)));
  }
  memory.state = outcome.state;
  memory.occupied = tick.rooms.occupied;
  const bool stamps = outcome.applied != 0 && outcome.step != Step::kPanic;
  if (stamps) memory.last_scale = tick.at;
}

Outcome decide_between(const Config& config, const Memory& memory, const Tick& tick) {
  return Walk(config, memory, tick).run_between();
}

void remember_between(Memory& memory, const Tick& tick) {
  memory.occupied = tick.rooms.occupied;
}

}  // namespace bellows::autoscaler::triggers
