// What came of one policy on one workload.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::simulator {

/// Time that requests spent between their arrival and the beginning of their service.
struct Waits {
  Duration p50{};
  Duration p95{};
  Duration p99{};
  Duration p999{};
  Duration worst{};
  double mean_seconds = 0;
  std::uint64_t waited = 0;  ///< requests that waited at all

  bool operator==(const Waits&) const = default;
};

/// A stretch of the simulation, for plots. Replicas are means over it.
struct Stretch {
  double offered = 0;  ///< load in replicas (demand.hpp), if nobody waited
  double used = 0;     ///< replicas that cost something
  double ready = 0;
  double want = 0;
  double panic = 0;     ///< share of it
  Duration p99_wait{};  ///< of the requests whose service began in it
  Duration worst_wait{};

  bool operator==(const Stretch&) const = default;
};

struct Outcome {
  std::string policy;

  // Requests; arrivals = served + lost().
  std::uint64_t arrivals = 0;
  std::uint64_t served = 0;
  /// By a bound of the activator's queue: count, bytes, or age, which a shorter revision-timeout
  /// stands for.
  std::uint64_t refused = 0;
  std::uint64_t timed_out = 0;   ///< a time limit of one request ended them behind the activator
  std::uint64_t broken_off = 0;  ///< their replica crashed, or was through with draining
  std::uint64_t unfinished = 0;  ///< nobody came for them within an hour after the end
  std::uint64_t lost() const { return refused + timed_out + broken_off + unfinished; }
  std::uint64_t cold_starts = 0;  ///< waited, and were served by a replica that was not ready yet
  Waits waits;

  // Replicas, between the end of the warm-up and the end of the trace.
  double replica_seconds = 0;          ///< from order to exit
  double offered_replica_seconds = 0;  ///< that the load itself fills (demand.hpp)
  /// Replica-seconds beyond the offered load. Below zero where requests were refused or late.
  double waste() const { return replica_seconds - offered_replica_seconds; }
  PodCount max_replicas = 0;
  /// At a whole second: replicas beyond those that all requests then in the system fill.
  PodCount worst_overshoot = 0;
  std::uint64_t scale_changes = 0;        ///< orders that differ from the one before
  std::uint64_t starts = 0;               ///< replicas ordered
  std::uint64_t seconds_over_target = 0;  ///< more in the system than fills the ready replicas
  double panic_seconds = 0;

  Duration length{};  ///< that was counted
  Duration stretch_length{};
  std::vector<Stretch> stretches;

  bool operator==(const Outcome&) const = default;
};

}  // namespace bellows::simulator
