// The default: a floor from the percentile of history, up by the spike rule, down to a sliding
// maximum, few changes.
#pragma once

#include <array>

#include "recommender/core/history.hpp"
#include "recommender/core/local_maximum.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/core/spike_rule.hpp"
#include "recommender/core/watch.hpp"

namespace bellows::recommender {

/// What a start uses is kept apart from what a steady replica uses: it raises the target while it
/// lasts, but teaches the days after nothing. Memory that starts need is never taken away.
class HybridPolicy final : public Policy {
 public:
  explicit HybridPolicy(std::shared_ptr<const WorkloadSettings> settings);
  std::string_view name() const override { return "hybrid"; }

 private:
  /// A target that was raised for a reason of its own, and until when it must not fall below it;
  /// once it was watched for a whole window, below what was really used since.
  struct Raised {
    double used = 0;
    double amount = 0;
    WallTime at = WallTime::min();
    WallTime until = WallTime::min();
    Rule rule = Rule::kOom;
  };
  /// The highest usage of the last three minutes in which it was asked; 0: there was none.
  struct Growth {
    WallTime at = WallTime::min();
    double before = 0;
    double last = 0;
    double now = 0;
  };
  struct OfResource {
    OfResource(Duration window, Duration startup_window)
        : steady(config::MaximumWindow::kSliding, window),
          startup(config::MaximumWindow::kSliding, startup_window) {}

    // What every sample touches lies together.
    LocalMaximum steady;    ///< of replicas past their start
    bool has_news = false;  ///< a sample since the last recommendation
    Raised raised;
    LocalMaximum startup;  ///< of replicas within it, over a week
    std::optional<double> target;
    WallTime rose = WallTime::min();
    std::vector<WallTime> falls;  ///< of the last 24 h, the oldest first
    Growth growth;
    double before_crashes = 0;  ///< the target before crashes doubled it; 0: they did not
  };
  struct Container {
    std::array<OfResource, 2> resources;  ///< by Resource
    CrashRule crashes;
    std::int32_t doublings = 0;  ///< against the present series of crashes
    bool is_in_vain = false;     ///< it crashed with all of them in effect
    WallTime last_crash = WallTime::min();
    WallTime since = WallTime::min();
  };
  /// Settings of one resource.
  struct Part {
    double percentile;
    double threshold;
    double up_factor;
  };
  /// What one resource is to be given, and why.
  struct Want {
    double amount = 0;
    Rule rule = Rule::kMaximum;
    Chain chain;
  };

  std::unique_ptr<Policy> fresh(std::shared_ptr<const WorkloadSettings> settings) const override {
    return std::make_unique<HybridPolicy>(std::move(settings));
  }
  void on_container(std::uint32_t container) override;
  void on_instance(InstanceId instance, WallTime now) override;
  void on_request(InstanceId instance, const Request& before, WallTime at) override;
  void on_usage(InstanceId instance, const Usage& usage) override;
  void on_repeated(InstanceId instance, const Usage& usage) override;
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

  const config::HybridSettings& hybrid() const { return settings().settings.hybrid; }
  static Result<void> restore_resource(OfResource& resource, const json::Object& saved);
  Part part(Resource resource) const;
  Duration window(Resource resource) const;
  bool has_floor(std::uint32_t container, Resource resource, WallTime now);
  double held(const Raised& raised, Resource resource, WallTime now) const;
  OfResource& state(std::uint32_t container, Resource resource);
  bool watch(InstanceId instance, const Usage& usage, double amount);
  bool is_looping(std::uint32_t container) const;
  bool is_crash(std::uint32_t container, WallTime now);
  void take_back(std::uint32_t container, WallTime now);
  void on_oom(InstanceId instance, std::int64_t needed, Bytes killed, WallTime at);

  std::optional<Want> base(std::uint32_t container, Resource resource, WallTime now);
  void raise_for_usage(std::uint32_t container, Resource resource, WallTime now, Want& want);
  void watch_growth(std::uint32_t container, Resource resource, WallTime now);
  void raise_for_growth(std::uint32_t container, Resource resource, Want& want);
  void raise_for_crash(std::uint32_t container, Resource resource, WallTime now, Want& want);
  void keep_calm(std::uint32_t container, Resource resource, WallTime now, Want& want);
  std::optional<Want> wanted(std::uint32_t container, Resource resource, bool is_crash,
                             WallTime now);
  std::optional<Estimate> estimate_of(std::uint32_t container, Resource resource, bool is_crash,
                                      WallTime now, Reason& reason);

  History history_;
  Watch watch_;
  std::vector<Container> containers_;
};

}  // namespace bellows::recommender
