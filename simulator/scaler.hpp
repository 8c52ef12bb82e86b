// Decides the number of replicas: the production decider with its windows, or an oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/load/activator_queues.hpp"
#include "autoscaler/core/load/load_windows.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "autoscaler/core/state/decider_state.hpp"
#include "autoscaler/slow/slow_brain.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/revision_settings.hpp"
#include "metrics/stat.hpp"
#include "simulator/demand.hpp"

namespace bellows::simulator {

/// Replica counts of the cluster, and the reports of each kind.
struct FleetCounts {
  PodCount ready = 0;
  PodCount starting = 0;
  PodCount requested = 0;
  PodCount ready_reporting = 0;
  PodCount others_reporting = 0;         ///< starting and draining replicas
  std::optional<Duration> start_time{};  ///< from ordered to ready, learned from earlier starts
  Duration start_spread{};               ///< mean deviation from it
  std::optional<double> cpu{};           ///< of the ready replicas: usage / available
  PodCount occupied = 0;                 ///< ready ones with a request
  PodCount draining = 0;
};

/// Called with each decision and the state that it was made from.
using DecisionSink =
    std::function<void(const autoscaler::DeciderState& before, const autoscaler::Decision&)>;

struct Verdict {
  PodCount desired = 0;
  bool is_panic = false;
};

/// Owner: one simulation. Pure.
class Scaler {
 public:
  virtual ~Scaler() = default;
  /// Replicas that are ready when the simulation begins.
  virtual PodCount ready_at_begin() const = 0;
  virtual void begin(const FleetCounts& fleet, TimePoint now) = 0;
  /// Takes a report of a replica or of the activator. True: evaluate now instead of at the next
  /// period.
  virtual bool accept(const metrics::Stat& stat, TimePoint now) = 0;
  virtual bool accept(const metrics::ScaleFromZeroTrigger& trigger, TimePoint now) = 0;
  virtual Verdict evaluate(const FleetCounts& fleet, TimePoint now) = 0;
  /// Time from the evaluation at `now` to the next one, unless a report requests one before.
  virtual Duration period(TimePoint /*now*/) const { return autoscaler::kEvaluationPeriod; }
  /// Target by which the activator fills replicas; nullopt: the settings.
  virtual std::optional<double> learned_target() const { return std::nullopt; }
};

/// The decider, windows and queues of autoscaler/core, called as the autoscaler's service calls
/// them. With slow-brain auto the slow brain sets their target. The simulation counts the replicas.
class DecidingScaler : public Scaler {
 public:
  explicit DecidingScaler(const config::RevisionSettings& settings, DecisionSink sink = {});

  PodCount ready_at_begin() const override { return 0; }
  void begin(const FleetCounts& fleet, TimePoint now) override;
  bool accept(const metrics::Stat& stat, TimePoint now) override;
  bool accept(const metrics::ScaleFromZeroTrigger& trigger, TimePoint now) override;
  Verdict evaluate(const FleetCounts& fleet, TimePoint now) override;
  Duration period(TimePoint now) const override {
    return spec_.policies.period(state_.policies, now);
  }
  std::optional<double> learned_target() const override { return learned_target_; }

 protected:
  /// Called after each evaluation of the slow brain.
  virtual void advised(const autoscaler::slow::Advice& /*advice*/) {}
  const autoscaler::slow::SlowState& learned() const { return learned_; }
  /// Sets another target from now on.
  void size_for(const config::RevisionSettings& settings);
  const config::RevisionSettings& settings() const { return settings_; }

 private:
  autoscaler::Observation observe(const FleetCounts& fleet, TimePoint now);
  void learn(TimePoint now);
  autoscaler::PolicySeen policies_see(const FleetCounts& fleet, TimePoint now) const;

  config::RevisionSettings settings_;
  autoscaler::slow::SlowSpec slow_spec_;
  autoscaler::slow::IntervalMeter meter_;
  autoscaler::slow::SlowState learned_;
  TimePoint learns_at_;
  std::optional<double> learned_target_;

  autoscaler::ScalingSpec spec_;
  autoscaler::LoadWindows windows_;
  autoscaler::ActivatorQueues queues_;
  autoscaler::DeciderState state_;
  DecisionSink sink_;
};

/// A scaler that knows the future load. It orders the replicas that the maximum load fills, if no
/// request waits, between now and the time at which an order of the next evaluation would be ready.
class Oracle final : public Scaler {
 public:
  /// `demand` has each second of the simulation, which begins at `begin`. `start` is the start time
  /// to plan for.
  Oracle(const Demand& demand, TimePoint begin, Duration start);

  PodCount ready_at_begin() const override { return needed_from(begin_); }
  void begin(const FleetCounts&, TimePoint) override {}
  bool accept(const metrics::Stat&, TimePoint) override { return false; }
  bool accept(const metrics::ScaleFromZeroTrigger&, TimePoint) override { return false; }
  Verdict evaluate(const FleetCounts&, TimePoint now) override {
    return {.desired = needed_from(now), .is_panic = false};
  }

 private:
  PodCount needed_from(TimePoint now) const;

  Demand demand_;
  TimePoint begin_;
  Duration ahead_;
};

}  // namespace bellows::simulator
