// VPA's recommender: percentiles of decaying histograms. Source: kubernetes/autoscaler 55c37cd5.
#pragma once

#include "recommender/core/history.hpp"
#include "recommender/core/policy.hpp"

namespace bellows::recommender {

/// Recommends even where nothing is known: then the minimum, with an upper bound without end.
class VpaPolicy final : public Policy {
 public:
  explicit VpaPolicy(std::shared_ptr<const WorkloadSettings> settings);
  std::string_view name() const override { return "vpa"; }

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
  void describe(std::uint32_t container, WallTime now, std::vector<std::string>& lines) override;
  void save_container(std::uint32_t container, replay::JsonLine& line) const override;
  void save_instance(InstanceId instance, replay::JsonLine& line) const override;
  Result<void> restore_container(std::uint32_t container, const replay::Object& saved) override;
  Result<void> restore_instance(InstanceId instance, const replay::Object& saved) override;
  History* history() override { return &history_; }

  History history_;
};

}  // namespace bellows::recommender
