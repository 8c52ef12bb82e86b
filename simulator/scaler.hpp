// Who says how many replicas there should be: a real decider behind real windows, or an oracle.
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/activator_queues.hpp"
#include "autoscaler/core/decider_state.hpp"
#include "autoscaler/core/load_windows.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/revision_settings.hpp"
#include "metrics/stat.hpp"
#include "simulator/demand.hpp"

namespace bellows::simulator {

/// The replicas as the cluster lists them, and how many of each kind have reported before.
struct FleetCounts {
  PodCount ready = 0;
  PodCount starting = 0;
  PodCount requested = 0;
  PodCount ready_reporting = 0;
  PodCount others_reporting = 0;         ///< starting and draining ones
  std::optional<Duration> start_time{};  ///< from order to ready, as learned from those so far
  std::optional<double> cpu{};           ///< of the ready ones: usage / what they may use
};

struct Verdict {
  PodCount want = 0;
  bool is_panic = false;
};

/// Owner: one simulation. Pure.
class Scaler {
 public:
  virtual ~Scaler() = default;
  /// Replicas that are ready when the simulation begins, ordered before it.
  virtual PodCount ready_at_begin() const = 0;
  virtual void begin(const FleetCounts& fleet, TimePoint now) = 0;
  /// Of a replica, or of the activator's queue. True: decide now, do not wait for the next turn.
  virtual bool accept(const metrics::Stat& stat, TimePoint now) = 0;
  virtual bool accept(const metrics::Wake& wake, TimePoint now) = 0;
  virtual Verdict evaluate(const FleetCounts& fleet, TimePoint now) = 0;
};

/// The decider of autoscaler/core behind its windows and queues, fed as the autoscaler's service
/// feeds them; only the replicas are counted here.
class DecidingScaler final : public Scaler {
 public:
  explicit DecidingScaler(const config::RevisionSettings& settings);

  PodCount ready_at_begin() const override { return 0; }
  void begin(const FleetCounts& fleet, TimePoint now) override;
  bool accept(const metrics::Stat& stat, TimePoint now) override;
  bool accept(const metrics::Wake& wake, TimePoint now) override;
  Verdict evaluate(const FleetCounts& fleet, TimePoint now) override;

 private:
  autoscaler::Observation observe(const FleetCounts& fleet, TimePoint now);

  autoscaler::ScalingSpec spec_;
  autoscaler::LoadWindows windows_;
  autoscaler::ActivatorQueues queues_;
  autoscaler::DeciderState state_;
};

/// Knows the future: the replicas that the load fills at its fullest instant, if nobody waits, from
/// now until an order of the next turn would be ready.
class Oracle final : public Scaler {
 public:
  /// `demand`: of each second of the simulation, which begins at `begin`. `start`: the longest
  /// start to plan for.
  Oracle(const Demand& demand, TimePoint begin, Duration start);

  PodCount ready_at_begin() const override { return needed_from(begin_); }
  void begin(const FleetCounts&, TimePoint) override {}
  bool accept(const metrics::Stat&, TimePoint) override { return false; }
  bool accept(const metrics::Wake&, TimePoint) override { return false; }
  Verdict evaluate(const FleetCounts&, TimePoint now) override {
    return {.want = needed_from(now), .is_panic = false};
  }

 private:
  PodCount needed_from(TimePoint now) const;

  Demand demand_;
  TimePoint begin_;
  Duration ahead_;
};

}  // namespace bellows::simulator
