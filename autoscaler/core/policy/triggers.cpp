// Policy `triggers`: Maestro's lists of triggers (autoscaler/triggers) at their own period; between
// two points the last number holds.
#include <algorithm>
#include <cmath>
#include <utility>

#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/triggers/trigger_engine.hpp"
#include "base/duration_text.hpp"
#include "json/seconds.hpp"

namespace bellows::autoscaler {
namespace {

/// Decisions come every 2 s, a little early or late.
constexpr Duration kTolerance = std::chrono::seconds(1);
constexpr json::Range kAges{-json::kMaxSeconds, json::kMaxSeconds};
constexpr double kUnknown = -1;  // an unknown point in JSON

struct TriggerMemory final : PolicyMemory {
  triggers::Memory engine;
  std::optional<TimePoint> last_point;
  PodCount wanted = 0;
  std::string reason;

  std::unique_ptr<PolicyMemory> clone() const override {
    return std::make_unique<TriggerMemory>(*this);
  }

  void write(json::Writer& out, TimePoint at) const override {
    out.integer("wanted", wanted).text("reason", reason);
    out.text("state", to_string(engine.state)).integer("occupied", engine.occupied);
    if (last_point) out.number("point-age", json::seconds_number(at - *last_point));
    if (engine.last_scale) {
      out.number("scale-age", json::seconds_number(at - *engine.last_scale));
    }
    for (std::size_t type = 0; type < triggers::kMeasures; ++type) {
      const triggers::UsageHistory& points = engine.points.at(type);
      if (points.size() == 0) continue;
      out.open_list(to_string(static_cast<triggers::TriggerType>(type)));
      for (std::int32_t age = points.size() - 1; age >= 0; --age) {
        out.number(std::isnan(points.at(age)) ? kUnknown : points.at(age));
      }
      out.close();
    }
  }

  void move(Duration by) override {
    if (last_point) *last_point += by;
    if (engine.last_scale) *engine.last_scale += by;
  }
};

constexpr std::array kStates = {triggers::State::kCreating, triggers::State::kInSync,
                                triggers::State::kTooFew, triggers::State::kTooMany,
                                triggers::State::kTerminating};

Result<std::optional<TimePoint>> read_age(const json::Object& object, std::string_view key,
                                          TimePoint at) {
  if (!object.has(key)) return std::nullopt;
  BELLOWS_TRY(const double age, object.number(key, kAges));
  return at - json::exact_seconds(age);
}

Result<void> read_points(const json::Object& object, triggers::Memory& engine) {
  for (std::size_t type = 0; type < triggers::kMeasures; ++type) {
    const std::string_view name = to_string(static_cast<triggers::TriggerType>(type));
    if (!object.has(name)) continue;
    BELLOWS_TRY(const json::List list, object.list(name));
    triggers::UsageHistory& points = engine.points.at(type);
    points.resize(static_cast<std::int32_t>(std::min<std::size_t>(list.size(), 100'001)));
    for (std::size_t i = 0; i < list.size(); ++i) {
      BELLOWS_TRY(const double point, list.number(i, {kUnknown, 1e9}));
      points.push(point == kUnknown ? triggers::kUnknownUsage : point);
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
    BELLOWS_TRY(const std::int64_t wanted, object.integer("wanted", 0, 100'000'000));
    memory->wanted = static_cast<PodCount>(wanted);
    BELLOWS_TRY(memory->reason, object.text("reason"));
    BELLOWS_TRY(const std::string state, object.text("state"));
    for (const triggers::State known : kStates) {
      if (to_string(known) == state) memory->engine.state = known;
    }
    BELLOWS_TRY(const std::int64_t occupied, object.integer("occupied", 0, 100'000'000));
    memory->engine.occupied = static_cast<PodCount>(occupied);
    BELLOWS_TRY(memory->last_point, read_age(object, "point-age", at));
    BELLOWS_TRY(memory->engine.last_scale, read_age(object, "scale-age", at));
    BELLOWS_CHECKED(read_points(object, memory->engine));
    triggers::fit(memory->engine, config_);
    return std::unique_ptr<PolicyMemory>(std::move(memory));
  }

  Proposal propose(const PolicyInput& input, const PolicyMemory* memory) const override {
    const auto& known = static_cast<const TriggerMemory&>(*memory);
    if (!is_due(known, input.now)) return {std::max(known.wanted, config_.min), known.reason};
    const triggers::Tick tick = tick_of(input);
    const triggers::Outcome outcome = triggers::decide(config_, known.engine, tick);
    const PodCount wanted = std::max(0, tick.rooms.available() + outcome.applied);
    return {wanted, triggers::reason(config_, tick, outcome)};
  }

  void remember(PolicyMemory& memory, const PolicyInput& input,
                const Proposal& proposal) const override {
    auto& known = static_cast<TriggerMemory&>(memory);
    if (!is_due(known, input.now)) return;
    const triggers::Tick tick = tick_of(input);
    const triggers::Outcome outcome = triggers::decide(config_, known.engine, tick);
    triggers::remember(known.engine, config_, tick, outcome);
    known.last_point = input.now;
    known.wanted = proposal.replicas.value_or(known.wanted);
    known.reason = proposal.reason;
  }

 private:
  bool is_due(const TriggerMemory& memory, TimePoint now) const {
    return !memory.last_point || now - *memory.last_point + kTolerance > config_.period;
  }

  static triggers::Tick tick_of(const PolicyInput& input) {
    return {.at = input.now,
            .rooms = input.more.rooms,
            .slots = input.slots,
            .load = input.seen.panic.total,
            .cpu = input.more.cpu,
            .memory = input.more.memory,
            .state = std::nullopt};
  }

  triggers::Config config_;
};

Result<PolicyPtr> make(const json::Object& parameters) {
  std::vector<std::string_view> others = {"type"};
  for (const PolicyType& type : policy_types()) others.push_back(type.name);
  BELLOWS_TRY(triggers::Config config, triggers::read_config(parameters, others));
  return std::make_shared<const Triggers>(std::move(config));
}

}  // namespace

PolicyType triggers_policy();
PolicyType triggers_policy() {
  return {.name = "triggers", .make = make};
}

}  // namespace bellows::autoscaler
