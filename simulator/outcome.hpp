// The result of one policy on one workload.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::simulator {

/// Waiting times, from the arrival of a request to the start of its service.
struct Waits {
  Duration p50{};
  Duration p95{};
  Duration p99{};
  Duration p999{};
  Duration worst{};
  double mean_seconds = 0;
  std::uint64_t waited = 0;  ///< requests that waited longer than zero

  bool operator==(const Waits&) const = default;
};

/// One interval of the simulation, for plots. Replicas are means over the interval.
struct Interval {
  double offered = 0;  ///< load in replicas (demand.hpp) if no request waited
  double used = 0;     ///< starting, ready and draining replicas
  double ready = 0;
  double desired = 0;
  double panic = 0;     ///< fraction of the interval in panic mode
  Duration p99_wait{};  ///< of the requests whose service started in the interval
  Duration worst_wait{};

  bool operator==(const Interval&) const = default;
};

struct Outcome {
  std::string policy;

  // Requests; arrivals = served + lost().
  std::uint64_t arrivals = 0;
  std::uint64_t served = 0;
  /// Rejected by a limit of the activator's queue: count, bytes, or age (the shorter of queue-age
  /// and revision-timeout).
  std::uint64_t rejected = 0;
  std::uint64_t timed_out = 0;   ///< timed out after the activator had forwarded them
  std::uint64_t aborted = 0;     ///< their replica crashed, or its drain-timeout expired
  std::uint64_t unfinished = 0;  ///< not served within one hour after the end
  std::uint64_t lost() const { return rejected + timed_out + aborted + unfinished; }
  std::uint64_t cold_starts = 0;  ///< waited for a replica that was not ready on arrival
  Waits waits;

  // Replicas, from the end of the warm-up to the end of the trace.
  double replica_seconds = 0;          ///< from ordered to gone
  double offered_replica_seconds = 0;  ///< of the replicas that the load itself fills (demand.hpp)
  /// Replica-seconds beyond the offered load. Negative if requests were rejected or late.
  double waste() const { return replica_seconds - offered_replica_seconds; }
  PodCount max_replicas = 0;
  /// Replicas beyond those that all requests in the system fill, sampled each second.
  PodCount worst_overshoot = 0;
  std::uint64_t scale_changes = 0;  ///< orders that differ from the previous one
  std::uint64_t starts = 0;         ///< replicas ordered
  /// Replicas ordered for an expected request, while no request waited or ran and no replica
  /// started.
  std::uint64_t starts_ahead = 0;
  std::uint64_t hits_ahead = 0;    ///< of them, those that were ready for a request and served it
  std::uint64_t misses_ahead = 0;  ///< of them, those removed before they served a request
  /// Replica-seconds without a request, starts included, sampled each second. Their memory costs as
  /// much as that of busy replicas.
  double idle_seconds = 0;
  double busy_seconds() const { return std::max(0.0, replica_seconds - idle_seconds); }
  std::uint64_t seconds_over_target = 0;  ///< requests in the system exceed the ready replicas
  double panic_seconds = 0;
  std::uint64_t memory_kills = 0;  ///< apps killed because they needed too much memory

  // From the arrival of a request to its end.
  Duration p50_response{};
  Duration p95_response{};
  std::uint64_t seconds_with_responses = 0;
  std::uint64_t seconds_over_goal = 0;  ///< more requests missed latency-goal than allowed

  Duration length{};  ///< the counted part
  Duration interval_length{};
  std::vector<Interval> intervals;

  bool operator==(const Outcome&) const = default;
};

}  // namespace bellows::simulator
