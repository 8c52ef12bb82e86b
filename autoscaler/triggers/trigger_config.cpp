#include "autoscaler/triggers/trigger_config.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "config/suggestion.hpp"
#include "json/seconds.hpp"

namespace bellows::autoscaler::triggers {
namespace {

constexpr std::array<std::string_view, 6> kTypes = {"legacy", "room",   "cpu",
                                                    "mem",    "buffer", "roomOccupancy"};
constexpr std::int64_t kMaxSeconds = 7 * 24 * 3600;
constexpr std::int64_t kMaxPoints = 100'000;

enum class Way : std::uint8_t { kUp, kDown };

Result<std::int32_t> integer_or(const json::Object& object, std::string_view key,
                                std::int32_t fallback, std::int64_t min, std::int64_t max) {
  if (!object.has(key)) return fallback;
  BELLOWS_TRY(const std::int64_t value, object.integer(key, min, max));
  return static_cast<std::int32_t>(value);
}

/// Reads whole seconds, a number as in Maestro, or a text with a unit.
Result<Duration> seconds_or(const json::Object& object, std::string_view key, Duration fallback,
                            std::int64_t min) {
  if (!object.has(key)) return fallback;
  const auto read = object.seconds(key);
  const bool is_valid = read && *read >= std::chrono::seconds(min) &&
                        *read <= std::chrono::seconds(kMaxSeconds) &&
                        *read % std::chrono::seconds(1) == Duration::zero();
  if (is_valid) return *read;
  return fail(object.invalid(
      key, "whole seconds from " + std::to_string(min) + " to " + std::to_string(kMaxSeconds)));
}

Result<TriggerType> read_type(const json::Object& object) {
  BELLOWS_TRY(const std::string name, object.text("type"));
  if (name == "memory") return TriggerType::kMemory;
  const auto* const found = std::find(kTypes.begin(), kTypes.end(), name);
  if (found != kTypes.end()) return static_cast<TriggerType>(found - kTypes.begin());
  return fail(
      object.invalid("type", "legacy, room, cpu, mem (or memory), buffer or roomOccupancy"));
}

Result<void> read_history(const json::Object& object, Way way, Duration period, Trigger& trigger) {
  BELLOWS_TRY(trigger.usage, integer_or(object, "usage", 80, 1, 100));
  BELLOWS_TRY(trigger.threshold, integer_or(object, "threshold", 80, 1, 100));
  BELLOWS_TRY(trigger.limit, integer_or(object, "limit", 0, 0, 100));
  // As in Maestro, the default limit of an up trigger is 90 %.
  if (way == Way::kUp && trigger.limit == 0) trigger.limit = 90;
  if (way == Way::kDown) trigger.limit = 0;
  BELLOWS_TRY(trigger.time, seconds_or(object, "time", std::chrono::seconds(600), 1));
  const std::int64_t points = trigger.time / period;
  if (points < 1) {
    return fail(object.invalid("time", "at least the period, " +
                                           std::to_string(period / std::chrono::seconds(1)) +
                                           " s: a shorter time has no points"));
  }
  if (points > kMaxPoints) {
    return fail(object.invalid("time", "at most " + std::to_string(kMaxPoints) + " periods"));
  }
  trigger.points = static_cast<std::int32_t>(points);
  return {};
}

Result<double> read_share(const json::Object& object, std::string_view key) {
  BELLOWS_TRY(const double value, object.number(key));
  if (value > 0 && value < 1) return value;
  return fail(object.invalid(key, "a number above 0 and below 1"));
}

Result<Trigger> read_trigger(const json::Object& object, Way way, Duration period) {
  static const std::vector<std::string_view> kOfHistory = {"type",  "usage", "threshold",
                                                           "limit", "time",  "delta"};
  Trigger trigger;
  BELLOWS_TRY(trigger.type, read_type(object));
  if (trigger.type == TriggerType::kBuffer) {
    BELLOWS_CHECKED(only_known(object, {"type", "amount"}));
    BELLOWS_TRY(const std::int64_t amount, object.integer("amount", 1, kMaxPods));
    trigger.amount = static_cast<PodCount>(amount);
    return trigger;
  }
  if (trigger.type == TriggerType::kRoomOccupancy) {
    BELLOWS_CHECKED(only_known(object, {"type", "readyTarget", "downThreshold"}));
    BELLOWS_TRY(trigger.ready_target, read_share(object, "readyTarget"));
    if (way == Way::kDown) {
      BELLOWS_TRY(trigger.down_threshold, read_share(object, "downThreshold"));
    }
    return trigger;
  }
  BELLOWS_CHECKED(only_known(object, kOfHistory));
  BELLOWS_CHECKED(read_history(object, way, period, trigger));
  const bool is_up = way == Way::kUp;
  BELLOWS_TRY(trigger.delta, integer_or(object, "delta", 0, -kMaxPods, kMaxPods));
  const bool has_wrong_sign = is_up ? trigger.delta <= 0 : trigger.delta >= 0;
  if (trigger.type == TriggerType::kLegacy && has_wrong_sign) {
    return fail(object.invalid("delta", is_up ? "a number of replicas above 0 in up"
                                              : "a number of replicas below 0 in down"));
  }
  return trigger;
}

/// Reads the older `trigger` of a direction without metricsTrigger as a trigger of type room
/// (maestro.md 1.6).
Result<Trigger> converted(const json::Object& direction, Way way, Duration period) {
  BELLOWS_TRY(const json::Object old, direction.object("trigger"));
  BELLOWS_CHECKED(only_known(old, {"time", "usage", "threshold", "limit"}));
  Trigger trigger;
  BELLOWS_CHECKED(read_history(old, way, period, trigger));
  return trigger;
}

/// Returns the default of the key `up` or `down`.
Direction without_key(Way way, Duration period) {
  Trigger trigger;
  trigger.limit = way == Way::kUp ? 90 : 0;
  trigger.points = static_cast<std::int32_t>(std::max<std::int64_t>(1, trigger.time / period));
  Direction direction;
  direction.triggers.push_back(trigger);
  return direction;
}

Result<Direction> read_direction(const json::Object& root, std::string_view key, Way way,
                                 Duration period) {
  Direction direction = without_key(way, period);
  if (!root.has(key)) return direction;
  BELLOWS_TRY(const json::Object object, root.object(key));
  BELLOWS_CHECKED(only_known(object, {"cooldown", "delta", "trigger", "metricsTrigger"}));
  BELLOWS_TRY(direction.cooldown, seconds_or(object, "cooldown", direction.cooldown, 0));
  // Type `room` does not use it, but an invalid one is an error.
  BELLOWS_CHECKED(integer_or(object, "delta", 1, -kMaxPods, kMaxPods));
  if (!object.has("metricsTrigger")) {
    if (!object.has("trigger")) return direction;
    BELLOWS_TRY(direction.triggers.front(), converted(object, way, period));
    return direction;
  }
  BELLOWS_TRY(const std::vector<json::Object> list, object.objects("metricsTrigger"));
  direction.triggers.clear();
  for (const json::Object& item : list) {
    BELLOWS_TRY(Trigger trigger, read_trigger(item, way, period));
    direction.triggers.push_back(trigger);
  }
  return direction;
}

/// Returns the object that has trigger number `index` of `way`, for errors.
Result<json::Object> trigger_object(const json::Object& root, std::string_view way,
                                    std::size_t index) {
  BELLOWS_TRY(const json::Object direction, root.object(way));
  BELLOWS_TRY(std::vector<json::Object> list, direction.objects("metricsTrigger"));
  return list.at(index);
}

/// Rejects an up trigger with a lower target than a down trigger of its type, which would
/// oscillate.
Result<void> check_order(const json::Object& root, const Config& config) {
  if (!root.has("up") || !root.has("down")) return {};  // a default contradicts nothing
  for (std::size_t i = 0; i < config.up.triggers.size(); ++i) {
    const Trigger& up = config.up.triggers[i];
    for (const Trigger& down : config.down.triggers) {
      const bool is_below = has_history(up.type) && up.type == down.type && up.usage < down.usage;
      if (!is_below) continue;
      const std::string want = "at least " + std::to_string(down.usage) +
                               ", the usage of the down trigger of type " +
                               std::string(to_string(down.type));
      const auto object = trigger_object(root, "up", i);
      if (object) return fail(object->invalid("usage", want));
      return fail(root.invalid("up", want));
    }
  }
  return {};
}

Result<void> read_panic(const json::Object& object, Config& config) {
  if (!object.has("enablePanicScale")) return {};
  BELLOWS_TRY(const bool is_enabled, object.flag("enablePanicScale"));
  if (!is_enabled) return {};
  PanicScale panic;
  if (object.has("up")) {
    BELLOWS_TRY(const json::Object up, object.object("up"));
    BELLOWS_TRY(panic.delta, integer_or(up, "delta", 1, 1, kMaxPods));
    if (up.has("trigger")) {
      BELLOWS_TRY(const json::Object trigger, up.object("trigger"));
      BELLOWS_TRY(panic.limit, integer_or(trigger, "limit", 90, 0, 100));
      if (panic.limit == 0) panic.limit = 90;
    }
  }
  config.panic = panic;
  return {};
}

void write_trigger(json::Writer& out, const Trigger& trigger) {
  out.open().text("type", to_string(trigger.type));
  if (trigger.type == TriggerType::kBuffer) {
    out.integer("amount", trigger.amount);
  } else if (trigger.type == TriggerType::kRoomOccupancy) {
    out.number("readyTarget", trigger.ready_target);
    if (trigger.down_threshold > 0) out.number("downThreshold", trigger.down_threshold);
  } else {
    out.integer("usage", trigger.usage).integer("threshold", trigger.threshold);
    out.integer("time", trigger.time / std::chrono::seconds(1));
    if (trigger.limit > 0) out.integer("limit", trigger.limit);
    if (trigger.type == TriggerType::kLegacy) out.integer("delta", trigger.delta);
  }
  out.close();
}

void write_direction(json::Writer& out, std::string_view key, const Direction& direction,
                     const std::optional<PanicScale>& panic) {
  out.open(key).integer("cooldown", direction.cooldown / std::chrono::seconds(1));
  if (panic) {
    out.integer("delta", panic->delta);
    out.open("trigger").integer("limit", panic->limit).close();
  }
  out.open_list("metricsTrigger");
  for (const Trigger& trigger : direction.triggers) write_trigger(out, trigger);
  out.close().close();
}

}  // namespace

std::string_view to_string(TriggerType type) {
  return kTypes.at(static_cast<std::size_t>(type));
}

Result<void> only_known(const json::Object& object, const std::vector<std::string_view>& known) {
  for (const std::string_view key : object.keys()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string names;
    std::vector<std::string> all;
    for (const std::string_view name : known) {
      names += (names.empty() ? "" : ", ") + std::string(name);
      all.emplace_back(name);
    }
    const std::string meant = config::suggestion(std::string(key), all);
    return fail(object.invalid(
        key, "a known key" + (meant.empty() ? "" : ", perhaps " + meant) + ". Valid are " + names));
  }
  return {};
}

const std::vector<std::string_view>& config_keys() {
  static const std::vector<std::string_view> keys = {"min", "max",  "period",
                                                     "up",  "down", "enablePanicScale"};
  return keys;
}

Result<Config> read_config(const json::Object& object,
                           const std::vector<std::string_view>& others) {
  std::vector<std::string_view> known = config_keys();
  known.insert(known.end(), others.begin(), others.end());
  BELLOWS_CHECKED(only_known(object, known));
  Config config;
  BELLOWS_TRY(config.min, integer_or(object, "min", 0, 0, kMaxPods));
  BELLOWS_TRY(config.max, integer_or(object, "max", 0, 0, kMaxPods));
  if (config.max > 0 && config.min > config.max) {
    return fail(object.invalid(
        "min", "a number from 0 to max, " + std::to_string(config.max) + " (max 0: no maximum)"));
  }
  BELLOWS_TRY(config.period, seconds_or(object, "period", config.period, 1));
  BELLOWS_TRY(config.up, read_direction(object, "up", Way::kUp, config.period));
  BELLOWS_TRY(config.down, read_direction(object, "down", Way::kDown, config.period));
  BELLOWS_CHECKED(read_panic(object, config));
  BELLOWS_CHECKED(check_order(object, config));
  return config;
}

void write_config(json::Writer& out, const Config& config) {
  out.integer("min", config.min).integer("max", config.max);
  out.integer("period", config.period / std::chrono::seconds(1));
  // The panic scale reads its numbers from the older keys.
  out.flag("enablePanicScale", config.panic.has_value());
  if (config.panic || config.up != without_key(Way::kUp, config.period)) {
    write_direction(out, "up", config.up, config.panic);
  }
  // A given one has to be below the usage of up; a default has not.
  if (config.down != without_key(Way::kDown, config.period)) {
    write_direction(out, "down", config.down, std::nullopt);
  }
}

}  // namespace bellows::autoscaler::triggers
