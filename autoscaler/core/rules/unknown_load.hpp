// Replicas whose load is unknown.
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// Returns true if the known seconds of the stable window cover nine tenths of `duration`: a source
/// that paused briefly on a busy machine must not keep a revision from scaling to zero.
bool knows(const Observation& seen, Duration duration);

/// Returns true if nothing can be decided: load or replicas could not be measured; or, under the
/// profiles knative and seed, the stable window is empty and no request waits. With
/// target-burst-capacity -1 an empty window is a load of zero: only the activators report, and they
/// do while they hold a request (knative.md 1.3).
bool is_undecidable(const ScalingSpec& spec, const Observation& seen);

/// Returns the time since which some load is unknown: a ready replica does not report, or replicas
/// start and no source, not even an activator, reported within the panic window. Nothing if all is
/// known.
std::optional<TimePoint> next_load_unknown_since(const std::optional<TimePoint>& before,
                                                 const Observation& seen, TimePoint now);

/// Returns true if silence is not taken for idleness: some load is unknown, but not for
/// unknown-load-hold; or all replicas report and `knows_enough` is false.
bool is_unsure(const ScalingSpec& spec, const Memory& memory, bool knows_enough, TimePoint now);

/// The thing that a decision does not know.
enum class Unknown : std::uint8_t {
  kPodCount,      ///< the replicas could not be counted
  kMetrics,       ///< the load could not be measured
  kNotReporting,  ///< ready replicas do not report
  kNoReportYet,   ///< starting replicas have not reported yet
  kBeginning,     ///< the decider has just started
  kPanicWindow,   ///< some seconds of it
  kStableWindow,  ///< some seconds of it, or all
};

/// Returns it for a decision by rule no-data, or one that is not valid.
Unknown what_is_unknown(const Decision& decision);

/// Keeps the replicas whose load is unknown, up to the requested number, for ten minutes;
/// after that they count as idle.
void hold_unknown_load(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                       const std::optional<TimePoint>& load_unknown_since, TimePoint now);

}  // namespace bellows::autoscaler
