// VPA's recommender: percentiles of decaying histograms. Source: kubernetes/autoscaler 55c37cd5.
#pragma once

#include "recommender/core/history.hpp"
#include "recommender/core/policy.hpp"

namespace bellows::recommender {

/// Recommends even where nothing is known: then the minimum, with an upper bound without end.
/// Gives up in forget_stale() a container that taught nothing of its CPU for
/// memory-aggregation-interval-count intervals, and at once one that never did and has no replica
/// any more (VPA looks once an hour). It is known again with its next sample or replica; what a
/// checkpoint brought is never forgotten. Source: VPA, model/cluster.go.
class VpaPolicy final : public Policy {
 public:
  explicit VpaPolicy(std::shared_ptr<const WorkloadSettings> settings);
  std::string_view name() const override { return "vpa"; }
  void forget_stale(WallTime now) override;

 private:
  std::unique_ptr<Policy> fresh(std::shared_ptr<const WorkloadSettings> settings) const override {
    return std::make_unique<VpaPolicy>(std::move(settings));
  }
  void on_container(std::uint32_t container) override;
  void on_instance(InstanceId instance, WallTime now) override;
  void on_request(InstanceId, const Request&, WallTime) override {}
  void on_usage(InstanceId instance, const Usage& usage) override;
  Result<void> on_event(InstanceId instance, const Event& event) override;
  Estimates estimate(std::uint32_t container, WallTime now) override;
  void describe(std::uint32_t container, Resource resource,
                std::vector<std::string>& lines) override;
  BoundChains bound_chains(std::uint32_t container, Resource resource,
                           const Estimate& estimate) override;
  void save_container(std::uint32_t container, json::Writer& line) const override;
  void save_instance(InstanceId instance, json::Writer& line) const override;
  Result<void> restore_container(std::uint32_t container, const json::Object& saved) override;
  Result<void> restore_instance(InstanceId instance, const json::Object& saved) override;
  History* history() override { return &history_; }
  bool is_forgotten(std::uint32_t container) const override;

  struct Sight {
    WallTime since = WallTime::min();  ///< known without a break
    bool is_lost = false;
  };
  void seen(std::uint32_t container, WallTime at);
  bool is_stale(std::uint32_t container, WallTime now) const;

  History history_;
  std::vector<Sight> sights_;  // by container
};

}  // namespace bellows::recommender
