#include "autoscaler/core/load/growth.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {
namespace {

constexpr double kKnownSeconds = 3600;
constexpr double kMemorySeconds = 86'400;
/// Share of the load a second that is assumed while too little is known.
constexpr double kAssumed = 0.04;

/// Share of the load a second; 0 without a mark, or since one from before a pause.
double growth_since(const Trend& trend, const ScalingSpec& spec, const Observation& seen,
                    double noise, TimePoint now) {
  const Duration passed = now - trend.older_at;
  if (trend.older <= 0 || passed <= Duration::zero() || passed > 2 * spec.stable_window) return 0;
  const double grown = seen.stable.total - trend.older - noise;
  return std::max(0.0, grown) / trend.older / to_seconds(passed);
}

}  // namespace

Growth next_growth(const Growth& before, const Trend& trend, const ScalingSpec& spec,
                   const Observation& seen, double noise, TimePoint now) {
  const double passed = std::max(0.0, to_seconds(now - before.seen_at));
  const double left = before.fastest * std::exp(-passed / kMemorySeconds);
  Growth next{
      .fastest = static_cast<float>(left), .known_seconds = before.known_seconds, .seen_at = now};
  if (!spec.rules.look_ahead || seen.stable.total <= 0) return next;
  const double grown = growth_since(trend, spec, seen, noise, now);
  const double known = before.known_seconds + std::min(passed, to_seconds(2 * kEvaluationPeriod));
  next.fastest = static_cast<float>(std::max(left, grown));
  next.known_seconds = static_cast<float>(std::min(known, kKnownSeconds));
  return next;
}

double share_over_start(const Growth& growth, const ScalingSpec& spec, const Observation& seen) {
  const Duration until_ready = seen.start_time.value_or(Duration::zero()) + kEvaluationPeriod;
  if (!spec.rules.look_ahead || until_ready <= spec.panic_window) return 0;
  const bool is_known = growth.known_seconds >= kKnownSeconds;
  const double least = is_known ? 0 : kAssumed;
  return std::max<double>(growth.fastest, least) * to_seconds(until_ready);
}

}  // namespace bellows::autoscaler
