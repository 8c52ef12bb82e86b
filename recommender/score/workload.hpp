// The demand of one container over time without any limit, as data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender::score {

inline constexpr Duration kDay = std::chrono::hours(24);
inline constexpr double kGiB = 1024. * 1024 * 1024;

/// The demand of the container in one step.
struct Demand {
  double cpu_cores = 0;
  double memory_bytes = 0;
  bool operator==(const Demand&) const = default;
};

/// The steps from `begin` up to and without `end`.
struct Interval {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Interval&) const = default;
};

/// A lasting change of demand, from which convergence is measured until the next one.
struct DemandChange {
  std::size_t at = 0;
  bool is_up = false;
  bool operator==(const DemandChange&) const = default;
};

/// The demand is the sum of a part by time and a part by age of the container: a leak or a start-up
/// burst restarts with each lifetime.
struct Workload {
  std::string name = {};
  std::string about = {};            ///< one sentence for the report
  Duration step{};                   ///< of the steps below, and between two samples
  std::vector<Demand> by_time = {};  ///< one per step
  std::vector<Demand> by_age = {};  ///< added, by steps of age; the last one continues. Empty: none
  std::vector<Interval> lifetimes = {};  ///< when a container runs; sorted, disjoint
  std::vector<Interval> crashing =
      {};  ///< when it crashes directly after its start, whatever its size
  std::vector<DemandChange> demand_changes = {};  ///< sorted
  Request first = {};                             ///< the initial request

  Duration length() const { return static_cast<Duration::rep>(by_time.size()) * step; }
  /// Returns the demand at step `when`, `age` steps after its start.
  Demand at(std::size_t when, std::size_t age) const;
  bool is_crashing(std::size_t when) const;
};

/// Returns the demand of every step without kills and crashes; zero where no container runs.
std::vector<Demand> undisturbed_demand(const Workload& workload);

}  // namespace bellows::recommender::score
