// Policy `counter`: a number that replicas report (players, jobs), with a capacity each.
#include <algorithm>

#include "autoscaler/core/policy/parameters.hpp"
#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/triggers/trigger_config.hpp"
#include "base/number_text.hpp"

namespace bellows::autoscaler {
namespace {

struct CounterSettings {
  double capacity = 0;  ///< of a replica that reports none; 0: unknown
  double target = 80;   ///< percent of the capacity
  PodCount min = 0;
};

class Counter final : public Policy {
 public:
  explicit Counter(const CounterSettings& settings) : settings_(settings) {}

  Proposal propose(const PolicyInput& input, const PolicyMemory& /*memory*/) const override {
    const auto& counter = input.more.counter;
    if (!counter || counter->replicas == 0) {
      const bool is_empty = input.more.rooms.available() == 0;
      if (is_empty) return {settings_.min, "no replica counts yet"};
      return {std::nullopt, "no replica reports its counter"};
    }
    const double capacity =
        counter->sized > 0 ? counter->capacity / counter->sized : settings_.capacity;
    if (capacity <= 0) return {std::nullopt, "no replica reports a capacity, and none is set"};
    // A quotient that is whole but for the last bits stays whole.
    const PodCount desired = whole_pods(counter->count * 100 / (capacity * settings_.target), 1e-9);
    return {std::max(desired, settings_.min), readable_text(counter->count) + " counted, " +
                                                  readable_text(capacity) + " a replica at " +
                                                  readable_text(settings_.target) + " %"};
  }

 private:
  CounterSettings settings_;
};

Result<PolicyPtr> make_counter(const json::Object& parameters) {
  BELLOWS_CHECKED(triggers::only_known(parameters, {"type", "capacity", "target", "min"}));
  CounterSettings settings;
  if (parameters.has("capacity")) {
    BELLOWS_TRY(settings.capacity, parameters.number("capacity", {1e-6, 1e9}));
  }
  if (parameters.has("target")) {
    BELLOWS_TRY(settings.target, parameters.number("target", {1, 100}));
  }
  if (parameters.has("min")) {
    BELLOWS_TRY(settings.min, count_of(parameters, "min", 0, 1'000'000));
  }
  return std::make_shared<const Counter>(settings);
}

}  // namespace

PolicyType counter_policy() {
  return {.name = "counter", .make = make_counter, .needs_parameters = false};
}

}  // namespace bellows::autoscaler
