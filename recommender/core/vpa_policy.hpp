// VPA's recommender: percentiles of decaying histograms. Source: kubernetes/autoscaler 55c37cd5.
#pragma once

#include "recommender/core/history.hpp"
#include "recommender/core/policy.hpp"

namespace bellows::recommender {

/// Recommends also without samples: the minimum, with an unlimited upper bound. forget_stale()
/// discards a container without CPU samples for eight intervals of memory peaks, and at
/// once one that never had a sample and has no replica left (VPA checks once an hour). Its next
/// sample or replica adds it again; a loaded checkpoint is never discarded. Source: VPA,
/// model/cluster.go.
class VpaPolicy final : public Policy {
 public:
  explicit VpaPolicy(std::shared_ptr<const WorkloadSettings> settings);

 private:
  void on_container(std::uint32_t container) override;
  void on_instance(InstanceId instance, WallTime now) override;
  void on_request(InstanceId, const Request&, WallTime) override {}
  void on_usage(InstanceId instance, const Usage& usage) override;
  Result<void> on_event(InstanceId instance, const Event& event) override;
  Estimates estimate(std::uint32_t container, WallTime now) override;
  PriorTarget prior_target(std::uint32_t container, WallTime now) override;
  void begin_at(std::uint32_t, const PriorTarget&, WallTime) override {}  // it has its history
  void describe(std::uint32_t container, Resource resource,
                std::vector<std::string>& lines) override;
  BoundChains bound_chains(std::uint32_t container, Resource resource,
                           const Estimate& estimate) override;
  void save_container(std::uint32_t container, json::Writer& line) const override;
  void save_instance(InstanceId instance, json::Writer& line) const override;
  Result<void> restore_container(std::uint32_t container, const json::Object& saved) override;
  Result<void> restore_instance(InstanceId instance, const json::Object& saved) override;
  bool is_forgotten(std::uint32_t container) const override;
  void forget_stale(WallTime now) override;

  struct Tracking {
    WallTime since = WallTime::min();  ///< known since then without interruption
    bool is_forgotten = false;
  };
  void mark_seen(std::uint32_t container, WallTime at);
  bool is_stale(std::uint32_t container, WallTime now) const;

  History history_;
  std::vector<Tracking> tracking_;  // by container
};

}  // namespace bellows::recommender
