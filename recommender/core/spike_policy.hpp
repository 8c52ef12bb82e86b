// The spike rule for whole workloads: the highest usage of the replicas, local maxima, the last
// recommendation.
#pragma once

#include <array>

#include "recommender/core/crash_rule.hpp"
#include "recommender/core/local_maximum.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/core/replica_states.hpp"
#include "recommender/core/spike_rule.hpp"

namespace bellows::recommender {

/// Makes no recommendation until a rule first fires; from then on the last recommendation stays
/// until a rule fires.
class SpikePolicy final : public Policy {
 public:
  explicit SpikePolicy(std::shared_ptr<const WorkloadSettings> settings)
      : Policy(config::RecommenderPolicy::kSpike, std::move(settings), nullptr) {}

 private:
  struct OfResource {
    LocalMaximum maximum;
    std::optional<double> published;
    double oom = 0;  ///< memory at an OOM kill since the last recommendation; 0: none
  };
  struct Container {
    std::array<OfResource, 2> resources;  ///< by Resource
    CrashRule crashes;
    WallTime since = WallTime::min();  ///< last change of the recommendation; min: never
  };

  void on_container(std::uint32_t container) override;
  void on_instance(InstanceId instance, WallTime now) override;
  void on_request(InstanceId instance, const Request& before, WallTime at) override;
  void on_usage(InstanceId instance, const Usage& usage) override;
  void on_duplicate(InstanceId instance, const Usage& usage) override { on_usage(instance, usage); }
  Result<void> on_event(InstanceId instance, const Event& event) override;
  Estimates estimate(std::uint32_t container, WallTime now) override;
  PriorTarget prior_target(std::uint32_t container, WallTime now) override;
  void begin_at(std::uint32_t container, const PriorTarget& prior, WallTime now) override;
  void describe(std::uint32_t container, Resource resource,
                std::vector<std::string>& lines) override;
  BoundChains bound_chains(std::uint32_t container, Resource resource,
                           const Estimate& estimate) override;
  void save_container(std::uint32_t container, json::Writer& line) const override;
  void save_instance(InstanceId instance, json::Writer& line) const override;
  Result<void> restore_container(std::uint32_t container, const json::Object& saved) override;
  Result<void> restore_instance(InstanceId instance, const json::Object& saved) override;

  bool is_looping(std::uint32_t container) const;
  SpikeInput input_of(std::uint32_t container, Resource resource, bool is_crash,
                      WallTime now) const;
  double amount_to_publish(SpikeDecision& decision, std::uint32_t container, Resource resource,
                           const SpikeInput& input) const;
  std::optional<double> kept(std::uint32_t container, Resource resource,
                             const SpikeInput& input) const;
  std::optional<Estimate> estimate_of(std::uint32_t container, Resource resource, bool is_crash,
                                      WallTime now, Reason& reason);

  ReplicaStates replicas_;
  std::vector<Container> containers_;
};

}  // namespace bellows::recommender
