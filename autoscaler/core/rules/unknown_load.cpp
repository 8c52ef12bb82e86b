#include "autoscaler/core/rules/unknown_load.hpp"

#include <algorithm>

namespace bellows::autoscaler {
namespace {

bool starts_without_report(const Observation& seen) {
  return seen.ready == 0 && seen.starting > 0 && seen.panic.covered_seconds == 0;
}

}  // namespace

bool knows(const Observation& seen, Duration duration) {
  constexpr double kEnough = 0.9;
  return seen.stable.covered_seconds >= kEnough * to_seconds(duration);
}

bool is_undecidable(const ScalingSpec& spec, const Observation& seen) {
  if (seen.problem != Problem::kNone) return true;
  if (spec.rules.no_data == config::NoData::kHold || spec.target_burst_capacity == -1) return false;
  return seen.stable.covered_seconds == 0 && seen.waiting == 0;
}

std::optional<TimePoint> next_load_unknown_since(const std::optional<TimePoint>& before,
                                                 const Observation& seen, TimePoint now) {
  if (seen.not_reporting == 0 && !starts_without_report(seen)) return std::nullopt;
  return before ? before : now;
}

bool is_unsure(const ScalingSpec& spec, const Memory& memory, bool knows_enough, TimePoint now) {
  if (!memory.load_unknown_since) return !knows_enough;
  return now - *memory.load_unknown_since < spec.rules.unknown_load_hold;
}

Unknown what_is_unknown(const Decision& decision) {
  const Observation& seen = decision.seen;
  if (seen.problem == Problem::kNoPodCount) return Unknown::kPodCount;
  if (seen.problem == Problem::kNoMetrics) return Unknown::kMetrics;
  if (!decision.is_valid) return Unknown::kStableWindow;
  if (decision.after.fresh) return Unknown::kBeginning;
  if (decision.after.load_unknown_since)
    return seen.not_reporting > 0 ? Unknown::kNotReporting : Unknown::kNoReportYet;
  const bool is_learned = decision.spec.rules.keep_alive == config::KeepAlive::kLearned;
  return is_learned ? Unknown::kPanicWindow : Unknown::kStableWindow;
}

void hold_unknown_load(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                       const std::optional<TimePoint>& load_unknown_since, TimePoint now) {
  if (!load_unknown_since || spec.rules.no_data != config::NoData::kHold) return;
  if (now - *load_unknown_since >= spec.rules.unknown_load_hold) return;
  const PodCount unknown = seen.not_reporting + (starts_without_report(seen) ? seen.starting : 0);
  const std::int64_t with_them = std::int64_t{desired.pods} + unknown;
  const std::int64_t held = std::min<std::int64_t>(seen.requested, with_them);
  desired.raise_to(static_cast<PodCount>(held), Rule::kNoData);
}

}  // namespace bellows::autoscaler
