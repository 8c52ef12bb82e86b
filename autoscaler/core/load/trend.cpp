#include "autoscaler/core/load/trend.hpp"

#include <algorithm>

namespace bellows::autoscaler {
namespace {

constexpr double kDamping = 0.5;
constexpr double kMaxGrowth = 0.1;

}  // namespace

Trend next_trend(const Trend& before, const ScalingSpec& spec, const Observation& seen,
                 TimePoint now) {
  const bool is_due = before.newer < 0 || now - before.newer_at >= spec.stable_window / 2;
  if (!spec.rules.look_ahead || !is_due) return before;
  return {.older = before.newer,
          .newer = static_cast<float>(seen.stable.total),
          .older_at = before.newer_at,
          .newer_at = now};
}

double growth_ahead(const Trend& trend, const Observation& seen, double load, double noise,
                    TimePoint now) {
  if (!seen.start_time || trend.older <= 0 || now <= trend.older_at) return 0;
  const double grown = seen.stable.total - trend.older - noise;
  const double slope = grown / to_seconds(now - trend.older_at);
  const double ahead = kDamping * slope * to_seconds(*seen.start_time + kEvaluationPeriod);
  return std::clamp(ahead, 0.0, kMaxGrowth * load);
}

}  // namespace bellows::autoscaler
