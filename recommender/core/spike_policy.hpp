// The spike rule for whole workloads: the highest of the replicas, local maxima, what was said
// last.
#pragma once

#include <array>

#include "recommender/core/local_maximum.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/core/spike_rule.hpp"
#include "recommender/core/watch.hpp"

namespace bellows::recommender {

/// Says nothing until a rule first fires; from then on what was said last stands.
class SpikePolicy final : public Policy {
 public:
  explicit SpikePolicy(std::shared_ptr<const WorkloadSettings> settings)
      : Policy(std::move(settings)) {}
  std::string_view name() const override { return "spike"; }

 private:
  struct OfResource {
    LocalMaximum maximum;
    std::optional<double> published;
    double oom = 0;  ///< memory at an OOM kill that no recommendation has seen yet
  };
  struct Container {
    std::array<OfResource, 2> resources;  ///< by Resource
    CrashRule crashes;
    WallTime since = WallTime::min();  ///< when a rule last changed something; min: never
  };

  std::unique_ptr<Policy> fresh(std::shared_ptr<const WorkloadSettings> settings) const override {
    return std::make_unique<SpikePolicy>(std::move(settings));
  }
  void on_container(std::uint32_t container) override;
  void on_instance(InstanceId instance, WallTime now) override;
  void on_request(InstanceId instance, const Request& before, WallTime at) override;
  void on_usage(InstanceId instance, const Usage& usage) override;
  Result<void> on_event(InstanceId instance, const Event& event) override;
  Estimates estimate(std::uint32_t container, WallTime now) override;
  void describe(std::uint32_t container, Resource resource,
                std::vector<std::string>& lines) override;
  BoundChains bound_chains(std::uint32_t container, Resource resource,
                           const Estimate& estimate) override;
  void save_container(std::uint32_t container, replay::JsonLine& line) const override;
  void save_instance(InstanceId instance, replay::JsonLine& line) const override;
  Result<void> restore_container(std::uint32_t container, const replay::Object& saved) override;
  Result<void> restore_instance(InstanceId instance, const replay::Object& saved) override;

  bool is_looping(std::uint32_t container) const;
  SpikeInput input_of(std::uint32_t container, Resource resource, bool is_crash,
                      WallTime now) const;
  double published_by(SpikeVerdict& verdict, std::uint32_t container, Resource resource,
                      const SpikeInput& input, WallTime now) const;
  std::optional<double> kept(std::uint32_t container, Resource resource,
                             const SpikeInput& input) const;
  std::optional<Estimate> estimate_of(std::uint32_t container, Resource resource, bool is_crash,
                                      WallTime now, Reason& reason);

  Watch watch_;
  std::vector<Container> containers_;
};

}  // namespace bellows::recommender
