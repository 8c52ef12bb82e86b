// Scenarios that no one has tuned for: made from a seed that is given when the program runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulator/workload.hpp"

namespace bellows::proving {

/// The course of the load over time.
enum class Kind : std::uint8_t {
  kSteady,
  kRamp,
  kStep,
  kSawTooth,
  kOnOff,
  kDaily,
  kFlashCrowd,
  kBatches,  ///< many requests at one instant
  kSparse,   ///< few calls without a rhythm: Poisson, lognormal, sessions, Hawkes
  kRhythm,   ///< few calls at regular times
};
inline constexpr std::size_t kKinds = 10;

std::string_view to_string(Kind kind);

struct Scenario {
  std::size_t number = 0;
  Kind kind = Kind::kSteady;
  std::string about;        ///< what was drawn, in one line
  std::int32_t limit = 10;  ///< container-concurrency; 0: none
  double min_load = 0;      ///< requests in service, on average, when the load is lowest
  double dispersion = 1;    ///< variance / mean of the arrivals of a second
  simulator::Workload workload;
};

/// The limits of the size of scenarios.
struct Effort {
  double requests = 250'000;
  double seconds = 3 * 86'400;
};
/// Smaller ones, for tests of a build without optimisation.
inline constexpr Effort kQuick{.requests = 1'500, .seconds = 3'600};

/// Returns the scenario `number` of `seed`. Equal arguments give equal scenarios. Pure.
Scenario make_scenario(std::uint64_t seed, std::size_t number, const Effort& effort = {});

}  // namespace bellows::proving
