// The example of docs/policies.md, exactly as it stands there.
#include "autoscaler/core/policy/policy.hpp"
#include "autoscaler/triggers/trigger_config.hpp"

namespace bellows::autoscaler {
namespace {

/// One replica for so many requests a second.
class RequestRate final : public Policy {
 public:
  explicit RequestRate(double per_replica) : per_replica_(per_replica) {}

  Proposal propose(const PolicyInput& input, const PolicyMemory& /*memory*/) const override {
    const double rate = input.seen.stable_rate;
    const auto replicas = static_cast<PodCount>(rate / per_replica_ + 0.999);
    return {replicas, std::to_string(static_cast<int>(rate)) + " requests a second"};
  }

 private:
  double per_replica_;
};

Result<PolicyPtr> make(const json::Object& parameters) {
  BELLOWS_CHECKED(triggers::only_known(parameters, {"type", "per-replica"}));
  BELLOWS_TRY(const double per_replica, parameters.number("per-replica", {1, 1e6}));
  return std::make_shared<const RequestRate>(per_replica);
}

}  // namespace

PolicyType request_rate_policy();
PolicyType request_rate_policy() {
  return {.name = "request-rate", .make = make};
}

}  // namespace bellows::autoscaler
