#include "autoscaler/core/rules/lasting_load.hpp"

#include <algorithm>

#include "autoscaler/core/load/backlog.hpp"

namespace bellows::autoscaler {

double lasting_load(const ScalingSpec& spec, const Observation& seen, double service_seconds) {
  const PodCount serving = seen.observed + seen.not_reporting;
  const bool is_known = serving > 0 && service_seconds > 0 && seen.start_time;
  const bool is_in_flight = spec.metric == config::Metric::kConcurrency;
  const bool is_asked = spec.rules.early_scale_up == config::EarlyScaleUp::kEvidence;
  if (!is_known || !is_in_flight || !is_asked) return 0;
  // Until the replica is there, each slot ends so many requests.
  const double services = to_seconds(*seen.start_time + kEvaluationPeriod) / service_seconds;
  const double slots = serving * spec.total;
  const double usual = seen.stable.total - seen.stable.queued;
  const double more = std::max(0.0, std::min(seen.newest, slots) - usual);
  const double staying = more * std::max(0.0, 1 - services);
  // Where replicas take more than they have slots for, the usual load holds those already.
  const double beyond = seen.newest - std::max(slots, usual);
  const double waiting = std::max(static_cast<double>(seen.waiting), beyond);
  const double served = std::max(0.0, slots - usual) * services;
  const double left = std::max(0.0, waiting - served);
  return usual + staying + left * share_of_waiting(spec, seen, service_seconds);
}

}  // namespace bellows::autoscaler
