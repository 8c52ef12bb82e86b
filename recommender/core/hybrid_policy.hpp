// The default policy: a percentile of history as floor, scale-up by the spike rule, scale-down to a
// sliding maximum, few changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recommender/core/history.hpp"
#include "recommender/core/hybrid_container.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/core/replica_states.hpp"

namespace bellows::recommender {

/// Collects the input of hybrid_rule() and remembers its decisions (hybrid_container.hpp). Samples
/// of starting replicas enter no histogram.
class HybridPolicy final : public Policy {
 public:
  explicit HybridPolicy(std::shared_ptr<const WorkloadSettings> settings);

 private:
  void on_container(std::uint32_t container) override;
  void on_instance(InstanceId instance, WallTime now) override;
  void on_request(InstanceId /*instance*/, const Request& /*before*/, WallTime /*at*/) override {}
  void on_usage(InstanceId instance, const Usage& usage) override;
  void on_duplicate(InstanceId instance, const Usage& usage) override;
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

  const config::HybridSettings& hybrid() const { return settings().settings.hybrid; }
  HybridResource& state(std::uint32_t container, Resource resource) {
    return containers_[container].resources[index_of(resource)];
  }
  bool record_usage(InstanceId instance, const Usage& usage, double amount);
  Result<void> on_oom(InstanceId instance, const OomKilled& oom, WallTime at);

  bool is_observed(const HybridResource& of, std::uint32_t container, Duration window,
                   WallTime now) const;
  HybridInput input_of(std::uint32_t container, Resource resource, WallTime now);
  std::optional<Estimate> take(std::uint32_t container, Resource resource, WallTime now,
                               Reason& reason);

  History history_;
  ReplicaStates replicas_;
  std::vector<HybridContainer> containers_;
};

}  // namespace bellows::recommender
