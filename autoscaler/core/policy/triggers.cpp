// Policy `triggers`: Maestro's lists of triggers (autoscaler/triggers) at their own period; between
// two points the last number holds.
#include <algorithm>
#include <limits>
#include <utility>

#include "autoscaler/core/policy/parameters.hpp"
#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/triggers/trigger_engine.hpp"
#include "base/duration_text.hpp"
#include "json/seconds.hpp"

namespace bellows::autoscaler {
namespace {

/// Decisions come a little early or late.
constexpr Duration kTolerance = kEvaluationPeriod / 2;

/// Points are in millionths.
std::string points_key(std::size_t type) {
  return std::string(to_string(static_cast<triggers::TriggerType>(type))) + "-ppm";
}

struct TriggerMemory final : PolicyMemory {
  triggers::Memory engine;
  std::optional<TimePoint> last_point;
  std::optional<TimePoint> changed;  // by the decision of that time; is_point: a point was added
  bool is_point = false;
  PodCount wanted = 0;
  std::string reason;

  std::unique_ptr<PolicyMemory> clone() const override {
    return std::make_unique<TriggerMemory>(*this);
  }

  MemoryChange change(TimePoint at) const override {
    return changed == at ? MemoryChange::kPart : MemoryChange::kNone;
  }

  void write_change(json::Writer& out, TimePoint at) const override {
    write_numbers(out, at);
    for (std::size_t type = 0; is_point && type < triggers::kMeasures; ++type) {
      const triggers::UsageHistory& points = engine.points.at(type);
      if (points.size() > 0) out.open_list("+" + points_key(type)).number(points.at(0)).close();
    }
  }

  void write(json::Writer& out, TimePoint at) const override {
    write_numbers(out, at);
    for (std::size_t type = 0; type < triggers::kMeasures; ++type) {
      const triggers::UsageHistory& points = engine.points.at(type);
      if (points.size() == 0) continue;
      out.open_list(points_key(type));
      for (std::int32_t age = points.size() - 1; age >= 0; --age) out.number(points.at(age));
      out.close();
    }
  }

  void move(Duration by) override {
    if (last_point) *last_point += by;
    if (engine.last_scale) *engine.last_scale += by;
    if (changed) *changed += by;
  }

 private:
  void write_numbers(json::Writer& out, TimePoint at) const {
    out.integer("wanted", wanted).text("reason", reason);
    out.text("state", to_string(engine.state)).integer("occupied", engine.occupied);
    if (last_point) out.number("point-age", json::seconds_number(at - *last_point));
    if (engine.last_scale) {
      out.number("scale-age", json::seconds_number(at - *engine.last_scale));
    }
  }
};

Result<void> read_points(const json::Object& object, triggers::Memory& engine) {
  for (std::size_t type = 0; type < triggers::kMeasures; ++type) {
    const std::string name = points_key(type);
    if (!object.has(name)) continue;
    BELLOWS_TRY(const json::List list, object.list(name));
    triggers::UsageHistory& points = engine.points.at(type);
    points.resize(static_cast<std::int32_t>(std::min<std::size_t>(list.size(), 100'001)));
    for (std::size_t i = 0; i < list.size(); ++i) {
      BELLOWS_TRY(
          const double point,
          list.number(i, {triggers::kUnknownPoint, std::numeric_limits<triggers::Point>::max()}));
      points.push(static_cast<triggers::Point>(point));
    }
  }
  return {};
}

class Triggers final : public Policy {
 public:
  explicit Triggers(triggers::Config config) : config_(std::move(config)) {}

  std::unique_ptr<PolicyMemory> start() const override {
    auto memory = std::make_unique<TriggerMemory>();
    triggers::fit(memory->engine, config_);
    return memory;
  }

  Result<std::unique_ptr<PolicyMemory>> read(const json::Object& object,
                                             TimePoint at) const override {
    auto memory = std::make_unique<TriggerMemory>();
    BELLOWS_TRY(memory->wanted, count_of(object, "wanted"));
    BELLOWS_TRY(memory->reason, object.text("reason"));
    BELLOWS_TRY(const std::string state, object.text("state"));
    memory->engine.state = triggers::state_named(state).value_or(memory->engine.state);
    BELLOWS_TRY(memory->engine.occupied, count_of(object, "occupied"));
    BELLOWS_TRY(memory->last_point, instant_of(object, "point-age", at));
    BELLOWS_TRY(memory->engine.last_scale, instant_of(object, "scale-age", at));
    BELLOWS_CHECKED(read_points(object, memory->engine));
    triggers::fit(memory->engine, config_);
    return std::unique_ptr<PolicyMemory>(std::move(memory));
  }

  /// Between two points only the panic scale decides.
  Duration period(const PolicyMemory* memory, TimePoint at) const override {
    const auto* known = static_cast<const TriggerMemory*>(memory);
    const bool is_point = known != nullptr && known->is_point && known->changed == at;
    return is_point && !config_.panic ? config_.period : kEvaluationPeriod;
  }

  Proposal propose(const PolicyInput& input, const PolicyMemory* memory) const override {
    const auto& known = static_cast<const TriggerMemory&>(*memory);
    const bool is_point = is_due(known, input.now);
    if (!is_point && !config_.panic) return held(known);
    const triggers::Tick tick = tick_of(input);
    const triggers::Outcome outcome = decide(known, tick, is_point);
    if (!is_point && outcome.applied == 0) return held(known);
    const PodCount wanted = std::max(0, tick.rooms.available() + outcome.applied);
    return {wanted, triggers::reason(config_, tick, outcome)};
  }

  void remember(PolicyMemory& memory, const PolicyInput& input,
                const Proposal& proposal) const override {
    auto& known = static_cast<TriggerMemory&>(memory);
    const PodCount wanted = proposal.replicas.value_or(known.wanted);
    const triggers::Tick tick = tick_of(input);
    known.is_point = is_due(known, input.now);
    const bool is_same = wanted == known.wanted && tick.rooms.occupied == known.engine.occupied;
    if (known.is_point || !is_same) known.changed = input.now;
    known.wanted = wanted;
    known.reason = proposal.reason;
    if (!known.is_point) return triggers::remember_between(known.engine, tick);
    triggers::remember(known.engine, config_, tick, decide(known, tick, true));
    known.last_point = next_point(known, input.now);
  }

 private:
  bool is_due(const TriggerMemory& memory, TimePoint now) const {
    return !memory.last_point || now >= *memory.last_point + config_.period - kTolerance;
  }

  /// Points keep to their period on the whole, whenever decisions come.
  TimePoint next_point(const TriggerMemory& memory, TimePoint now) const {
    if (!memory.last_point) return now;
    const TimePoint due = *memory.last_point + config_.period;
    return now - due < config_.period ? due : now;
  }

  Proposal held(const TriggerMemory& known) const {
    return {std::max(known.wanted, config_.min), known.reason};
  }

  triggers::Outcome decide(const TriggerMemory& known, const triggers::Tick& tick,
                           bool is_point) const {
    return is_point ? triggers::decide(config_, known.engine, tick)
                    : triggers::decide_between(config_, known.engine, tick);
  }

  /// An order is absolute and holds until it is carried out: replicas are those of the last one.
  static triggers::Tick tick_of(const PolicyInput& input) {
    const WindowLoad& load = input.seen.panic;
    return {.at = input.now,
            .rooms = as_ordered(input.more.rooms, input.replicas),
            .slots = input.slots,
            .load = load.covered_seconds > 0 ? std::optional(load.total) : std::nullopt,
            .cpu = input.more.cpu,
            .memory = input.more.memory,
            .state = std::nullopt};
  }

  triggers::Config config_;
};

Result<PolicyPtr> make_triggers(const json::Object& parameters) {
  std::vector<std::string_view> others;
  if (parameters.has("type")) {
    others.emplace_back("type");  // an entry of a chain has no others
  } else {
    for (const PolicyType& type : policy_types()) others.push_back(type.name);
  }
  BELLOWS_TRY(triggers::Config config, triggers::read_config(parameters, others));
  if (config.period < kEvaluationPeriod) {
    return fail(parameters.invalid(
        "period", "at least " + duration_text(kEvaluationPeriod) + ", between two decisions"));
  }
  return std::make_shared<const Triggers>(std::move(config));
}

}  // namespace

PolicyType triggers_policy();
PolicyType triggers_policy() {
  return {.name = "triggers", .make = make_triggers};
}

}  // namespace bellows::autoscaler
