// One simulated replica: a queue-proxy (its limit and its meter) in front of an app.
#pragma once

#include <cstdint>
#include <vector>

#include "activator/core/held_request.hpp"
#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "metrics/meter.hpp"
#include "metrics/stat.hpp"
#include "proxy/core/breaker.hpp"
#include "simulator/app_model.hpp"

namespace bellows::simulator {

class Replica;

/// One request from its arrival to its end. Taken from a pool and used again.
class Request final : public activator::HeldRequest {
 public:
  /// Those that the throttler settled while it was asked something else; the simulation empties it.
  explicit Request(std::vector<Request*>& settled) : settled_(settled) {}

  TimePoint arrived{};
  Duration service{};
  bool is_measured = true;
  bool is_at_work = false;         ///< its end is on the agenda
  bool was_cold = false;           ///< it waited for a replica that was not ready when it came
  bool is_broken_off = false;      ///< its replica went from under it
  bool is_late = false;            ///< its end is that of a time limit
  TimePoint deadline{};            ///< of its time limits
  Replica* replica = nullptr;      ///< while it has one
  proxy::Slot slot;                ///< of the replica's queue-proxy
  Request* next_inside = nullptr;  ///< behind it in the app's own line

 private:
  void on_settled() override { settled_.push_back(this); }

  std::vector<Request*>& settled_;
};

enum class ReplicaPhase : std::uint8_t {
  kStarting,  ///< ordered            -> kReady, kStarting (the start failed), kGone (not wanted)
  kReady,     ///< takes requests     -> kDraining, kStarting (crashed)
  kDraining,  ///< finishes its own   -> kGone
  kGone,
};

/// Owner: the fleet. Used again for another replica once it is gone.
class Replica {
 public:
  Replica(std::uint16_t place, std::uint64_t number, std::int32_t slots, TimePoint now,
          std::uint64_t seed);

  std::uint16_t place() const { return place_; }    ///< in the fleet; its port for the throttler
  std::uint64_t number() const { return number_; }  ///< of all replicas ever ordered
  const PodName& name() const { return stat_.pod; }
  bool is_idle() const { return meter_.level() == 0; }

  /// A request came through the limit. True: the app works on it at once; else it is in the app's
  /// line.
  bool enter(Request& request, const AppModel& app, TimePoint now);
  /// When a request that the app works on from now on will be done.
  TimePoint finish(const Request& request, const AppModel& app, TimePoint now);
  /// A request at work is done. The next one of the app's line, at work now, or nullptr.
  Request* leave(Request& request, TimePoint now);
  /// A request ended because the replica crashed.
  void break_off(Request& request, TimePoint now);
  /// The app forgot everything; after break_off() of all requests.
  void restart(TimePoint now);
  /// For how long its CPU was busy since it was last asked.
  Duration take_busy(TimePoint now);

  /// What it says about the second that ends now.
  const metrics::Stat& close_second(TimePoint now);
  /// What it said last it had in flight.
  Concurrency said() const { return has_reported ? stat_.concurrency : 0; }

  ReplicaPhase phase = ReplicaPhase::kStarting;
  TimePoint ordered{};
  TimePoint ready_since{};
  bool has_reported = false;
  std::uint32_t restarts = 0;       ///< of its app, which failed to start or crashed
  std::uint32_t failed_starts = 0;  ///< in a row
  SeededRandom chance;  ///< its own, so that the n-th replica of every policy starts equally fast

 private:
  std::uint16_t place_;
  std::uint64_t number_;
  proxy::Breaker breaker_;
  metrics::ConcurrencyMeter meter_;
  metrics::Stat stat_;
  std::int32_t working_ = 0;
  Request* first_inside_ = nullptr;
  Request* last_inside_ = nullptr;
  TimePoint core_free_{};
  Duration cpu_given_{};  // work that the CPU got, as long as it takes with all cores
  Duration cpu_told_{};   // of it: done, as take_busy() said
};

}  // namespace bellows::simulator
