#include "autoscaler/core/unknown_load.hpp"

#include <algorithm>

namespace bellows::autoscaler {
namespace {

bool starts_unheard(const Observation& seen) {
  return seen.ready == 0 && seen.starting > 0 && seen.panic.covered_seconds == 0;
}

bool holds(const ScalingSpec& spec) {
  return spec.rules.no_data == config::NoData::kHold;
}

}  // namespace

bool is_undecidable(const ScalingSpec& spec, const Observation& seen) {
  if (seen.problem != Problem::kNone) return true;
  if (holds(spec) || spec.target_burst_capacity == -1) return false;
  return seen.stable.covered_seconds == 0 && seen.waiting == 0;
}

std::optional<TimePoint> next_silent_since(const std::optional<TimePoint>& before,
                                           const Observation& seen, TimePoint now) {
  if (seen.silent == 0 && !starts_unheard(seen)) return std::nullopt;
  return before ? before : now;
}

Unknown what_is_unknown(const Decision& decision) {
  const Observation& seen = decision.seen;
  if (seen.problem == Problem::kNoPodCount) return Unknown::kPodCount;
  if (seen.problem == Problem::kNoMetrics) return Unknown::kMetrics;
  if (!decision.is_valid) return Unknown::kStableWindow;
  if (decision.after.silent_since) return seen.silent > 0 ? Unknown::kSilent : Unknown::kUnheard;
  const bool is_learned = decision.spec.rules.keep_alive == config::KeepAlive::kLearned;
  if (!is_learned) return Unknown::kStableWindow;
  return decision.after.fresh ? Unknown::kBeginning : Unknown::kPanicWindow;
}

void hold_silent(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                 const std::optional<TimePoint>& silent_since, TimePoint now) {
  if (!silent_since || !holds(spec)) return;
  if (now - *silent_since >= spec.rules.unknown_load_hold) return;
  const PodCount unheard = seen.silent + (starts_unheard(seen) ? seen.starting : 0);
  const std::int64_t with_them = std::int64_t{answer.pods} + unheard;
  const std::int64_t held = std::min<std::int64_t>(seen.requested, with_them);
  answer.at_least(static_cast<PodCount>(held), Rule::kNoData);
}

}  // namespace bellows::autoscaler
