// Numbers, durations and counts of replicas as text.
#pragma once

#include <cstdint>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler::explain {

/// Returns three digits without trailing zeros: 0.333, 4.46, 31.2, 1234.
std::string number_text(double value);

/// Returns "1 replica", "3 replicas".
std::string replicas_text(PodCount count);

/// Returns "1 request", "20 requests".
std::string requests_text(std::uint64_t count);

/// Returns whole seconds: "4m10s".
std::string whole_seconds_text(Duration duration);

/// Returns "23s of the last 1m".
std::string known_text(std::int32_t known_seconds, Duration window);

/// Returns the replicas by which max-scale-up-rate was multiplied: "2 replicas ready", "none ready,
/// which counts as one", "5 replicas seen within 1m".
std::string counted_text(const Decision& decision);

/// Returns true if the last replica is the first one, which is not ready yet.
bool is_first_starting(const Decision& decision);
/// Returns true if the last replica stays for scale-to-zero-pod-retention-period instead of the
/// grace period.
bool is_retained(const Decision& decision);
/// Returns "longer than idle-clock 5m".
std::string over_idle_clock(const Decision& decision);

/// Returns "progress-deadline 1m plus 30s".
std::string start_timeout_text(const Decision& decision);

}  // namespace bellows::autoscaler::explain
