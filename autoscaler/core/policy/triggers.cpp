// Policy `triggers`: Maestro's lists of triggers (autoscaler/triggers) at their own period; between
// two points the last number holds.
#include <algorithm>
#include <utility>

#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/triggers/trigger_engine.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler {
namespace {

class Triggers final : public Policy {
 public:
  explicit Triggers(triggers::Config config) : config_(std::move(config)) {}

  void fit(PolicyMemory& memory) const override { triggers::fit(memory.engine, config_); }

  /// Between two points only the panic scale decides.
  Duration period(const PolicyMemory& known, TimePoint at) const override {
    const bool is_point = known.is_point && known.changed == at;
    return is_point && !config_.panic ? config_.period : kEvaluationPeriod;
  }

  Proposal propose(const PolicyInput& input, const PolicyMemory& known) const override {
    const bool is_point = is_due(known, input.now);
    if (!is_point && !config_.panic) return held(known);
    const triggers::Tick tick = tick_of(input);
    const triggers::Outcome outcome = decide(known, tick, is_point);
    if (!is_point && outcome.applied == 0) return held(known);
    const PodCount wanted = std::max(0, tick.rooms.available() + outcome.applied);
    return {wanted, triggers::reason(config_, tick, outcome)};
  }

  void remember(PolicyMemory& known, const PolicyInput& input,
                const Proposal& proposal) const override {
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
  /// Decisions come a little early or late.
  bool is_due(const PolicyMemory& memory, TimePoint now) const {
    return !memory.last_point || now >= *memory.last_point + config_.period - kEvaluationPeriod / 2;
  }

  /// Points keep to their period on the whole, whenever decisions come.
  TimePoint next_point(const PolicyMemory& memory, TimePoint now) const {
    if (!memory.last_point) return now;
    const TimePoint due = *memory.last_point + config_.period;
    return now - due < config_.period ? due : now;
  }

  Proposal held(const PolicyMemory& known) const {
    return {std::max(known.wanted, config_.min), known.reason};
  }

  triggers::Outcome decide(const PolicyMemory& known, const triggers::Tick& tick,
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

PolicyType triggers_policy() {
  return {.name = "triggers", .make = make_triggers};
}

}  // namespace bellows::autoscaler
