// Replicas whose load nobody tells (settings no-data, unknown-load-hold).
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// True if nothing can be decided: averages or replicas could not be had; or, where no-data says
/// no-decision, the stable window is empty and nobody waits. With target-burst-capacity -1 an empty
/// window is a load of zero: only the activators report, and they do while they hold a request
/// (knative.md 1.3).
bool is_undecidable(const ScalingSpec& spec, const Observation& seen);

/// Since when some load is unknown: some ready replica is silent, or replicas start and nobody, no
/// activator either, said anything within the panic window. Nothing: all is known.
std::optional<TimePoint> next_silent_since(const std::optional<TimePoint>& before,
                                           const Observation& seen, TimePoint now);

/// What it is that a decision does not know.
enum class Unknown : std::uint8_t {
  kPodCount,      ///< the replicas could not be counted
  kMetrics,       ///< the averages could not be had
  kSilent,        ///< ready replicas do not report
  kUnheard,       ///< what starts has not been heard of yet
  kBeginning,     ///< the decider has just begun
  kPanicWindow,   ///< some seconds of it
  kStableWindow,  ///< some seconds of it, or all
};

/// Of a decision by rule no-data, or one that is not valid.
Unknown what_is_unknown(const Decision& decision);

/// Keeps the replicas whose load is unknown, up to what is requested, until that has lasted for
/// unknown-load-hold; from then on they count as idle.
void hold_silent(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                 const std::optional<TimePoint>& silent_since, TimePoint now);

}  // namespace bellows::autoscaler
