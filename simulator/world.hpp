// The inside of a simulation: callers, activator, replicas and the scaler, moved event by event.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "activator/core/revision_throttler.hpp"
#include "config/revision_settings.hpp"
#include "metrics/meter.hpp"
#include "simulator/agenda.hpp"
#include "simulator/fleet.hpp"
#include "simulator/recorder.hpp"
#include "simulator/scaler.hpp"
#include "simulator/workload.hpp"

namespace bellows::simulator {

/// What the clock of the simulated machine shows when a simulation begins.
inline constexpr TimePoint kSimulationBegin{std::chrono::hours(1)};

/// Three sources of events, merged by time: arrivals, ends of requests, and everything rare. Owner:
/// one call of simulate(). Pure.
class World {
 public:
  /// All outlive it.
  World(const Workload& workload, const Survey& limits, const config::RevisionSettings& settings,
        Scaler& scaler);

  Outcome run(const Progress& progress);

 private:
  enum class Event : std::uint8_t {
    kReplicaSecond,  ///< a queue-proxy closes its second
    kStarted,        ///< a start is over, well or not
    kCrash,
    kDrainOver,  ///< a leaving replica is waited for no longer
    kSecond,     ///< the activator closes its second; a sample is taken
    kTurn,       ///< the decider's turn
    kThrottlerTick,
  };
  struct Timer {
    Event event;
    std::uint16_t place = 0;
    std::uint64_t number = 0;
  };

  void begin();
  bool step();
  void on_timer();
  bool is_over() const;

  void arrive(const Arrival& arrival);
  void granted(Request& request);
  void work_on(Request& request);
  TimePoint deadline_of(const Request& request) const;
  void complete(Request& request);
  void settle();
  void after_wait_changed();
  void end(Request& request, std::uint64_t& counter);
  void recycle(Request& request);

  void close_second();
  void close_second_of_line();
  void tell_progress() const;
  void throttler_tick();
  void decide();
  void order(PodCount want);
  void start_one();
  void started(Replica& replica);
  void become_ready(Replica& replica);
  void start_again(Replica& replica);
  void crash(Replica& replica);
  void break_off_all(Replica& replica);
  void drain_over(Replica& replica);
  void leave(Replica& replica);
  void gone(Replica& replica);
  void publish();

  Duration since_begin() const { return now_ - begin_; }
  Request& free_request();

  const Workload& workload_;
  const config::RevisionSettings& settings_;
  Scaler& scaler_;
  const Progress* progress_ = nullptr;  // of the caller of run()
  Recorder recorder_;
  ArrivalStream stream_;
  std::span<const Arrival> coming_;
  TimePoint begin_;
  TimePoint end_;
  TimePoint now_;

  // Requests go first: out of the throttler's line, and with their slots back to the replicas.
  std::vector<Request*> settled_;
  SeededRandom choices_;  // of the throttler's policy
  activator::RevisionThrottler throttler_;
  Fleet fleet_;
  std::deque<Request> requests_;  // all ever made; they stay where they are
  std::vector<Request*> free_;
  Agenda<Request*> ends_;
  Agenda<Timer> timers_;
  metrics::ConcurrencyMeter held_;
  metrics::Stat held_stat_;
  bool reports_held_ = false;
  bool was_waiting_ = false;
  bool has_tick_ = false;
  Verdict verdict_;
  std::uint64_t open_ = 0;  // requests that came and have not ended
};

}  // namespace bellows::simulator
