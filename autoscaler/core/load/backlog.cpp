#include "autoscaler/core/load/backlog.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bellows::autoscaler {
namespace {

/// In which the requests that wait are to be served. They have waited for about a start already, so
/// a small part of one adds little.
constexpr double kDrainSeconds = 0.15;
constexpr double kDrainPerStart = 0.005;

}  // namespace

double longest_service_seconds(const Observation& seen) {
  const double seconds = seen.stable.covered_seconds;
  const double waiting = static_cast<double>(seen.waiting);
  const double in_service = std::max(0.0, seen.newest - waiting);
  const double ended = seen.stable_rate * seconds - in_service;
  if (ended <= 0) return std::numeric_limits<double>::infinity();
  return (seen.stable.total - seen.stable.queued) * seconds / ended;
}

double share_of_waiting(const ScalingSpec& spec, const Observation& seen, double service_seconds) {
  if (spec.rules.backlog == config::Backlog::kLoad || !seen.start_time) return 1;
  const double drain = kDrainSeconds + kDrainPerStart * to_seconds(*seen.start_time);
  double service = longest_service_seconds(seen);
  if (seen.observed == 0 && service_seconds > 0)
    service = std::min<double>(service, service_seconds);
  return std::clamp(service / drain, 0.0, 1.0);
}

Observation planned_load(const ScalingSpec& spec, const Observation& seen, double service_seconds) {
  Observation planned = seen;
  const double spared = 1 - share_of_waiting(spec, seen, service_seconds);
  if (spared <= 0) return planned;
  planned.stable.total -= spared * planned.stable.queued;
  planned.panic.total -= spared * planned.panic.queued;
  planned.newest -= spared * std::min(planned.newest, static_cast<double>(seen.waiting));
  return planned;
}

}  // namespace bellows::autoscaler
