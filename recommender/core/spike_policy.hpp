// The spike rule for whole workloads: the highest of the replicas, local maxima, what was said
// last.
#pragma once

#include <array>

#include "recommender/core/local_maximum.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/core/spike_rule.hpp"
#include "recommender/core/watch.hpp"

namespace bellows::recommender {

/// Says nothing until a rule first fires or a start gets a boost; from then on what was said last
/// stands.
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
  /// More CPU while a replica starts: on top of what is published, and no part of it.
  struct Boost {
    bool is_on = false;
    double before = 0;  ///< the request when it began
    double max = 0;     ///< the most that was said of it and is not taken back yet; 0: nothing
  };
  struct Container {
    std::array<OfResource, 2> resources;  ///< by Resource
    CrashRule crashes;
    WallTime since = WallTime::min();  ///< when what is said last changed; min: nothing ever was
    Boost boost = {};
  };

  std::unique_ptr<Policy> fresh(std::shared_ptr<const WorkloadSettings> settings) const override {
    return std::make_unique<SpikePolicy>(std::move(settings));
  }
  void on_container(std::uint32_t container) override;
  void on_instance(InstanceId instance, WallTime now) override;
  void on_request(InstanceId instance, const Request& before, WallTime at) override;
  void on_usage(InstanceId instance, const Usage& usage) override;
  void on_repeated(InstanceId instance, const Usage& usage) override { on_usage(instance, usage); }
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

  bool is_looping(std::uint32_t container) const;
  SpikeInput input_of(std::uint32_t container, Resource resource, bool is_crash,
                      WallTime now) const;
  double own_request(std::uint32_t container, Resource resource) const;
  double published_by(SpikeVerdict& verdict, std::uint32_t container, Resource resource,
                      const SpikeInput& input) const;
  std::optional<double> kept(std::uint32_t container, Resource resource,
                             const SpikeInput& input) const;
  std::optional<Estimate> estimate_of(std::uint32_t container, Resource resource, bool is_crash,
                                      WallTime now, Reason& reason);

  void watch_starts(std::uint32_t container, WallTime now);
  double boosted(std::uint32_t container, double target, WallTime now, Chain& chain);

  Watch watch_;
  std::vector<Container> containers_;
};

}  // namespace bellows::recommender
