// Policy `concurrency`: what the decider says from the requests in flight (autoscaler/core/rules).
#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/triggers/trigger_config.hpp"

namespace bellows::autoscaler {
namespace {

class Concurrency final : public Policy {
 public:
  bool uses_load() const override { return true; }
  Proposal propose(const PolicyInput& input, const PolicyMemory& /*memory*/) const override {
    if (!input.by_load) return {std::nullopt, "the load is unknown"};
    return {input.by_load, "the load of requests", true};
  }
};

Result<PolicyPtr> make_concurrency(const json::Object& parameters) {
  BELLOWS_CHECKED(triggers::only_known(parameters, {"type"}));
  return std::make_shared<const Concurrency>();
}

}  // namespace

PolicyType concurrency_policy() {
  return {.name = "concurrency", .make = make_concurrency, .needs_parameters = false};
}

}  // namespace bellows::autoscaler
