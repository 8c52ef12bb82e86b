// The replicas of a simulated revision: ordered, ready, drained, gone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "activator/core/pod_tracker.hpp"
#include "autoscaler/core/load/learned_start.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "simulator/replica.hpp"
#include "simulator/scaler.hpp"

namespace bellows::simulator {

/// Lists and counts replicas. The simulation decides when they change. Pure.
class Fleet {
 public:
  /// The maximum of replicas; orders beyond it start none.
  static constexpr PodCount kMax = 60'000;

  Fleet(std::int32_t slots_per_replica, std::uint64_t seed)
      : slots_(slots_per_replica), seed_(seed) {}

  /// Adds a starting replica.
  Replica& order(TimePoint now);

  /// Returns the replicas to remove so that `desired` remain: starting ones first, then those with
  /// the fewest reported requests in flight; among equals the youngest.
  std::vector<Replica*> victims(PodCount desired) const;

  /// Removes the replica from every list. A later replica may reuse its place.
  void remove(Replica& replica);

  /// Returns the replica; nullptr if it has exited or another replica has its place.
  Replica* find(std::uint16_t place, std::uint64_t number) const;
  Replica& at(std::uint16_t place) const { return *places_[place]; }

  /// The ready replicas as the throttler expects them, ordered by name.
  std::vector<activator::ReplicaView> ready_views() const;

  FleetCounts counts() const;
  /// Starting and ready replicas.
  PodCount staying() const;
  PodCount ready() const;
  /// Replicas without a request, starting ones included.
  PodCount idle() const;
  /// Starting, ready and draining replicas.
  PodCount used() const { return static_cast<PodCount>(alive_.size()); }
  std::uint64_t ordered() const { return ordered_; }

  /// Learns the start time of a replica that became ready, unless it was restarted.
  void learn_start(const Replica& replica, TimePoint now);

  /// Measures the CPU usage of the second that ends now, if the app needs CPU.
  void measure_cpu(TimePoint now);

  PodCount requested = 0;

 private:
  std::int32_t slots_;
  std::uint64_t seed_;
  std::uint64_t ordered_ = 0;
  std::optional<double> cpu_;  // usage / cores, the mean of the ready replicas
  autoscaler::LearnedStart start_time_;
  std::vector<Replica*> alive_;  // oldest first
  std::vector<std::unique_ptr<Replica>> places_;
  std::vector<std::uint16_t> free_places_;
};

}  // namespace bellows::simulator
