#include "autoscaler/explain/idle.hpp"

#include <algorithm>
#include <vector>

#include "autoscaler/core/rules/keep_alive.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::explain {
namespace {

bool is_learned(const Decision& decision) {
  return decision.spec.rules.keep_alive == config::KeepAlive::kLearned;
}

std::string seconds_text(float seconds) {
  return duration_text(std::chrono::seconds(static_cast<std::int64_t>(seconds + 0.5F)));
}

/// Returns the first evaluation from the decision on at which it is worth keeping a replica, or not
/// worth it.
std::optional<TimePoint> first_evaluation(const Decision& decision, const IdleTimes& idle_times,
                                          bool is_kept) {
  if (!is_learned(decision)) return std::nullopt;
  constexpr Duration kHorizon = std::chrono::hours(24);
  const Duration start = long_start(decision.seen);
  const auto rhythm = rhythm_of(decision.spec, idle_times, start);
  for (TimePoint at = decision.at; at < decision.at + kHorizon; at += kEvaluationPeriod) {
    const ElapsedSince since{.last = at - decision.after.last_load,
                             .first = at - idle_times.busy_since()};
    if (is_worth_keeping(decision.spec, idle_times, rhythm, since, start) == is_kept) return at;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> idle_times_text(const Decision& decision, const IdleTimes& idle_times) {
  std::vector<float> known(idle_times.idle_times().begin(), idle_times.idle_times().end());
  if (!is_learned(decision) || known.empty()) return std::nullopt;
  std::ranges::sort(known);
  if (known.size() == 1) return "its last idle time (" + seconds_text(known.front()) + ")";
  const float median = known[(known.size() - 1) / 2];
  return "its last " + std::to_string(known.size()) + " idle times (" +
         seconds_text(known.front()) + " to " + seconds_text(known.back()) +
         ", half of them at most " + seconds_text(median) + ")";
}

std::optional<TimePoint> end_of_keeping(const Decision& decision, const IdleTimes& idle_times) {
  return first_evaluation(decision, idle_times, false);
}

std::optional<TimePoint> next_start_ahead(const Decision& decision, const IdleTimes& idle_times) {
  if (idle_times.idle_times().empty()) return std::nullopt;
  return first_evaluation(decision, idle_times, true);
}

}  // namespace bellows::autoscaler::explain
