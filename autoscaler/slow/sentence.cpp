#include "autoscaler/slow/sentence.hpp"

#include <chrono>
#include <cmath>

#include "base/duration_text.hpp"
#include "base/number_text.hpp"

namespace bellows::autoscaler::slow {
namespace {

/// Targets that differ by less count as equal.
constexpr double kSame = 0.05;

std::string level_text(double level) {
  return significant_text(level, level < 100 ? 2 : 3);
}

std::string time_text(double seconds) {
  return rounded_duration_text(from_seconds(seconds));
}

std::string percent(double share) {
  return fixed_text(100 * share, 0) + " %";
}

std::string quantile_name(double quantile) {
  return "p" + fixed_text(100 * quantile, 0);
}

/// A replica cannot be held below one request in flight.
std::string goal_text(const config::LatencyGoal& goal, const Bound& bound) {
  const std::string text = "the latency goal binds, " + config::to_string(goal) + " is kept ";
  if (bound.level < 1) return text + "too seldom at all levels that were seen";
  return text + "up to " + level_text(bound.level) + " in flight";
}

/// Returns the meaning of the bound.
std::string bound_text(const SlowSpec& spec, Reason reason, const Bound& bound) {
  const std::string at = " at " + level_text(bound.level) + " in flight";
  switch (reason) {
    case Reason::kCpu:
      return (spec.goal ? "CPU binds, a quarter above full usage,"
                        : "CPU binds, 80 % of the limit") +
             at;
    case Reason::kMemory:
      return "memory binds, the limit less a reserve for bursts" + at;
    case Reason::kLatency:
      break;
  }
  return spec.goal ? goal_text(*spec.goal, bound)
                   : "latency binds, one and a half times that of an idle replica" + at;
}

std::string step_text(Step step) {
  switch (step) {
    case Step::kTooFewData:
      return "too few data yet";
    case Step::kRollout:
      return "learning pauses during a rollout";
    case Step::kNewBehaviour:
      return "the service time has changed, so learning restarts";
    case Step::kKilled:
      return "a replica was OOM-killed";
    default:
      return "no bound binds up to the highest load seen";
  }
}

std::string effect_text(const SlowSpec& spec, const SlowState& state, const Advice& advice,
                        double in_use, double load) {
  if (in_use <= 0 || load <= 0 || std::abs(advice.target / in_use - 1) < kSame) return "";
  const double now = std::ceil(load / in_use);
  const double then = std::ceil(load / advice.target);
  const double quantile = spec.goal ? spec.goal->quantile : 0.95;
  const auto before = time_at(state.table, load / now, quantile);
  const auto after = time_at(state.table, load / then, quantile);
  std::string text = "; it takes " + level_text(std::abs(then - now)) +
                     (std::abs(then - now) == 1 ? " replica " : " replicas ") +
                     (then >= now ? "more" : "fewer");
  if (before && after) {
    text += " and changes " + quantile_name(quantile) + " from " + time_text(*before) + " to " +
            time_text(*after);
  }
  return text;
}

}  // namespace

std::string sentence(const SlowSpec& spec, const SlowState& state, const Advice& advice,
                     config::SlowBrain mode, double in_use, double load) {
  std::string text = mode == config::SlowBrain::kAuto ? "The slow brain sets target "
                                                      : "The slow brain advises target ";
  text += level_text(advice.target);
  const bool differs = in_use > 0 && std::abs(advice.target / in_use - 1) >= kSame;
  if (mode != config::SlowBrain::kAuto && differs) text += " instead of " + level_text(in_use);
  text += ": ";
  if (advice.reason) {
    const Bound& bound = *advice.bounds[static_cast<std::size_t>(*advice.reason)];
    text += bound_text(spec, *advice.reason, bound) + " (sure: " + percent(advice.confidence) +
            ", " +
            rounded_duration_text(
                std::chrono::round<std::chrono::seconds>(from_seconds(advice.learned_seconds))) +
            " of data)";
  } else {
    text += step_text(advice.step);
  }
  text += effect_text(spec, state, advice, in_use, load) + ".";
  if (advice.kept_load > 0) {
    const std::size_t jumps = state.jumps.jumps.size();
    text += mode == config::SlowBrain::kAuto ? " It keeps" : " It would keep";
    text += " replicas for " + level_text(advice.kept_load) +
            " in flight ready: within three hours the load jumped " + std::to_string(jumps) +
            (jumps == 1 ? " time" : " times") + ", faster than replicas start.";
  }
  if (advice.best_possible && spec.goal) {
    text += " The goal " + config::to_string(*spec.goal) +
            " cannot be kept: a request alone already takes " + time_text(*advice.best_possible) +
            " at " + quantile_name(spec.goal->quantile) + ".";
  }
  return text;
}

}  // namespace bellows::autoscaler::slow
