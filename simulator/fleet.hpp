// The replicas of a simulated revision: ordered, ready, drained, gone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "activator/core/pod_tracker.hpp"
#include "autoscaler/core/learned_start.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "simulator/replica.hpp"
#include "simulator/scaler.hpp"

namespace bellows::simulator {

/// Lists and counts; when things happen is the simulation's business. Pure.
class Fleet {
 public:
  /// More are not started; what is beyond is not ordered.
  static constexpr PodCount kMax = 60'000;

  Fleet(std::int32_t slots_per_replica, std::uint64_t seed)
      : slots_(slots_per_replica), seed_(seed) {}

  /// A new replica, starting.
  Replica& order(TimePoint now);

  /// Those that leave so that `want` stay: starting ones first, then those that said they have the
  /// least in flight; of equals the youngest.
  std::vector<Replica*> victims(PodCount want) const;

  /// Out of every list; used again for a later one.
  void remove(Replica& replica);

  /// nullptr: gone, or another replica has its place by now.
  Replica* find(std::uint16_t place, std::uint64_t number) const;
  Replica& at(std::uint16_t place) const { return *places_[place]; }

  /// Ready ones as the throttler wants to know them, by name.
  std::vector<activator::ReplicaView> ready_views() const;

  FleetCounts counts() const;
  /// Neither gone nor draining.
  PodCount staying() const;
  PodCount ready() const;
  /// All that cost something: starting, ready and draining.
  PodCount used() const { return static_cast<PodCount>(alive_.size()); }
  std::uint64_t ordered() const { return ordered_; }

  /// A replica became ready now. One that was restarted says nothing about how long a start takes.
  void learn_start(const Replica& replica, TimePoint now);

  /// Takes what the CPUs did in the second that ends now. Only where the app needs any.
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
