#include "autoscaler/core/load/burstiness.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {
namespace {

/// Minimum weight of a sample: about the last five hundred samples count, a quarter of an hour.
constexpr double kMinWeight = 0.002;
/// Samples that the initial index counts as.
constexpr double kFirstSamples = 30;
/// A flash crowd is no burstiness: one sample moves the index by at most half of itself.
constexpr double kMaxPerSample = 16;
constexpr double kMaxIndex = 20;
/// A second averages over bursts that are shorter, although requests arrive in them.
constexpr double kShareInService = 0.84;
/// Between the two loads of a sample.
constexpr Duration kApart = 3 * kEvaluationPeriod;

bool is_known(const ScalingSpec& spec, const Observation& seen, double service_seconds) {
  const double panic_seconds = to_seconds(spec.panic_window);
  return service_seconds > 0 && seen.stable.total > 0 &&
         seen.panic.covered_seconds >= panic_seconds &&
         seen.stable.covered_seconds >= 2 * panic_seconds;
}

/// Expected square of the difference between the loads of two seconds of independent requests:
/// twice the variance of a mean over a second, minus their covariance.
double expected_square(double load, double service_seconds) {
  const double of_a_second = service_seconds / (service_seconds + 0.5);
  const double fresh = 1 - std::exp(-to_seconds(kApart) / service_seconds);
  return 2 * load * of_a_second * fresh;
}

void take_sample(Burstiness& burstiness, double step, double expected) {
  const double sample = std::min(step * step / expected, kMaxPerSample * burstiness.index);
  const double weight = std::max(kMinWeight, 1 / (kFirstSamples + burstiness.samples));
  const double index = burstiness.index + weight * (sample - burstiness.index);
  burstiness.index = static_cast<float>(std::max(1.0, index));
  if (weight > kMinWeight) ++burstiness.samples;
}

}  // namespace

void learn_burstiness(Burstiness& burstiness, RecentLoads& recent, const ScalingSpec& spec,
                      const Observation& seen, double service_seconds, TimePoint now) {
  if (!spec.rules.learn_burstiness || !is_known(spec, seen, service_seconds)) {
    recent = {};
    return;
  }
  const Duration passed = now - recent.last_at;
  if (recent.newest >= 0 && passed < kEvaluationPeriod * 3 / 4) return;
  if (passed > kEvaluationPeriod * 5 / 2) recent = {};
  if (recent.oldest >= 0) {
    take_sample(burstiness, seen.newest - recent.oldest,
                expected_square(seen.stable.total, service_seconds));
  }
  recent = {.oldest = recent.middle,
            .middle = recent.newest,
            .newest = static_cast<float>(seen.newest),
            .last_at = now};
}

double spread_index(const Burstiness& burstiness) {
  return 1 + kShareInService * (std::clamp<double>(burstiness.index, 1, kMaxIndex) - 1);
}

double spread_over_start(double spread, const ScalingSpec& spec,
                         const std::optional<Duration>& start) {
  const Duration late = start.value_or(Duration::zero()) - kEvaluationPeriod;
  return spread * (1 + std::clamp(to_seconds(late) / to_seconds(spec.stable_window), 0.0, 1.0));
}

}  // namespace bellows::autoscaler
