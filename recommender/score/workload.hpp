// What one container would use over time if nothing held it back: the load of a score, as data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender::score {

/// What the container wants during one step.
struct Demand {
  double cpu_cores = 0;
  double memory_bytes = 0;
  bool operator==(const Demand&) const = default;
};

/// Steps from `begin` on, `end` not included.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Stretch&) const = default;
};

/// A lasting change of demand, from which convergence is measured until the next one.
struct Turn {
  std::size_t at = 0;
  bool is_up = false;
  bool operator==(const Turn&) const = default;
};

/// Demand is what the time of day asks plus what the age of the container's life asks: a leak and a
/// start-up burst begin anew with each life, whoever ended the one before.
struct Workload {
  std::string name = {};
  std::string about = {};            ///< one sentence for the report
  Duration step{};                   ///< of the steps below, and between two samples
  std::vector<Demand> by_time = {};  ///< one per step
  std::vector<Demand> by_age =
      {};  ///< added, by steps of age; its last one holds on. Empty: nothing
  std::vector<Stretch> lives = {};   ///< when a container is wanted; sorted, apart
  std::vector<Stretch> broken = {};  ///< when it ends right after its start, whatever its size
  std::vector<Turn> turns = {};      ///< sorted
  Request first = {};                ///< what its owner asked for

  Duration length() const { return static_cast<Duration::rep>(by_time.size()) * step; }
  /// At step `when`, `age` steps after its life began.
  Demand at(std::size_t when, std::size_t age) const;
  bool is_broken(std::size_t when) const;
};

/// Demand of every step if only planned ends end a life; zero where no container is wanted.
std::vector<Demand> undisturbed(const Workload& workload);

}  // namespace bellows::recommender::score
