// Numbers, durations and counts of replicas as text.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler::explain {

/// Returns three digits without trailing zeros: 0.333, 4.46, 31.2, 1234.
std::string number_text(double value);

/// Returns "1 replica", "3 replicas".
std::string replicas_text(PodCount count);

/// Returns whole seconds: "4m10s".
std::string whole_seconds_text(Duration duration);

/// Returns true if the last replica is the first one, which is not ready yet.
bool is_first_starting(const Decision& decision);
/// Returns true if the last replica stays for scale-to-zero-pod-retention-period instead of the
/// grace period.
bool is_retained(const Decision& decision);

/// Returns "progress-deadline 1m plus 30s".
std::string start_timeout_text(const Decision& decision);

}  // namespace bellows::autoscaler::explain
