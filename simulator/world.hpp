// One simulation: arrivals, requests, replicas and the scaler, advanced event by event.
#pragma once

#include <cstdint>
#include <span>

#include "config/revision_settings.hpp"
#include "simulator/event_queue.hpp"
#include "simulator/fleet.hpp"
#include "simulator/recorder.hpp"
#include "simulator/request_path.hpp"
#include "simulator/scaler.hpp"
#include "simulator/workload.hpp"

namespace bellows::simulator {

/// The time on the simulated machine when a simulation begins.
inline constexpr TimePoint kSimulationBegin{std::chrono::hours(1)};

/// Merges three sources of events by time: arrivals, ends of requests, and timers for rarer events.
/// Owner: one call of simulate(). Pure.
class World {
 public:
  /// All outlive it.
  World(const Workload& workload, const LoadProfile& profile,
        const config::RevisionSettings& settings, Scaler& scaler);

  Outcome run(const Progress& progress);

 private:
  enum class Event : std::uint8_t {
    kReplicaSecond,  ///< a queue-proxy closes its second
    kStarted,        ///< a start is complete, successful or not
    kCrash,
    kDrainTimeout,  ///< a draining replica aborts its requests and exits
    kSecond,        ///< the activator closes its second; the state is sampled
    kEvaluation,    ///< the scaler's periodic evaluation
    kThrottlerTick,
  };
  struct Timer {
    Event event;
    std::uint16_t place = 0;
    std::uint64_t number = 0;
  };

  // Time.
  void begin();
  bool step();
  void on_timer();
  void close_second();
  void report_progress() const;
  bool is_over() const;
  Duration since_begin() const { return now_ - begin_; }

  // Decisions.
  void on_wait_change();
  void decide();
  void scale_to(PodCount desired);

  // Replicas.
  void start_replica();
  void on_started(Replica& replica);
  void become_ready(Replica& replica);
  void restart(Replica& replica);
  void crash(Replica& replica);
  void drain(Replica& replica);
  void on_drain_timeout(Replica& replica);
  void remove(Replica& replica);
  void publish_replicas();

  const Workload& workload_;
  const config::RevisionSettings& settings_;
  Scaler& scaler_;
  const Progress* progress_ = nullptr;  // of the caller of run()
  Recorder recorder_;
  ArrivalStream stream_;
  std::span<const Arrival> arrivals_;  // the next ones
  TimePoint begin_;
  TimePoint end_;
  TimePoint now_;
  Fleet fleet_;
  RequestPath requests_;  // after fleet_: requests hold slots of its replicas
  EventQueue<Timer> timers_;
  Verdict verdict_;
};

}  // namespace bellows::simulator
