#include "autoscaler/explain/demand.hpp"

#include <algorithm>

#include "autoscaler/core/rules/headroom.hpp"
#include "autoscaler/core/rules/load_demand.hpp"
#include "autoscaler/core/rules/rate_limit.hpp"
#include "autoscaler/core/rules/unknown_load.hpp"
#include "autoscaler/explain/text.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::explain {
namespace {

/// Returns "...: 31.2 / 7, rounded up: 5", "...: 50 / 10 = 5".
std::string quotient(const std::string& what, double load, double divisor, PodCount pods) {
  const std::string whole = std::to_string(pods);
  const bool is_exact = number_text(load / divisor) == whole;
  return what + ": " + number_text(load) + " / " + number_text(divisor) +
         (is_exact ? " = " : ", rounded up: ") + whole;
}

/// Returns " (dispersion 3.2)" if independent callers would need less headroom, else nothing.
std::string dispersion_text(const Decision& decision, double load) {
  const double independent = replicas_for(decision.spec, load, 1);
  const std::string dispersion = number_text(decision.dispersion);
  const bool is_more = replicas_for(decision.spec, load, decision.dispersion) > independent;
  return is_more && dispersion != "1" ? " (dispersion " + dispersion + ")" : "";
}

std::string load_brief(const Decision& decision, const WindowLoad& load, Duration window,
                       PodCount pods) {
  const ScalingSpec& spec = decision.spec;
  const bool is_rps = spec.metric == config::Metric::kRps;
  const std::string unit = is_rps ? " requests/s" : " requests in flight";
  const std::string over = " over " + duration_text(window);
  if (spec.is_seed) {
    const PodCount counted = counted_pods(spec, decision.seen);
    const std::string what =
        number_text(load.per_pod) + unit + " per replica" + over + ", " + replicas_text(counted);
    return quotient(what, load.per_pod * counted, spec.target, pods);
  }
  const std::string what = number_text(load.total) + unit + over;
  if (spec.rules.headroom == config::Headroom::kUtilization || load.total <= 0) {
    return quotient(what, load.total, spec.target, pods);
  }
  const double slots = replicas_for(spec, load.total, decision.dispersion) * spec.total;
  const double room = std::max(0.0, slots - load.total);
  const std::string headroom =
      number_text(room) + " headroom" + dispersion_text(decision, load.total);
  return quotient(what + " + " + headroom, slots, spec.total, pods);
}

std::string stable_brief(const Decision& decision) {
  return load_brief(decision, decision.seen.stable, decision.spec.stable_window,
                    decision.stable_demand);
}

/// Returns "130 in the newest second are more than chance".
std::string early_load_text(const Decision& decision) {
  const std::string newest = number_text(decision.seen.newest) + " in the newest second";
  switch (decision.early_load) {
    case EarlyLoad::kPanicWindow:
      return number_text(decision.seen.panic.total) + " over " +
             duration_text(decision.spec.panic_window) + " are more than chance";
    case EarlyLoad::kLasting:
      return "the rise to " + newest + " outlasts a start";
    default:
      return newest + " are more than chance";
  }
}

std::string early_brief(const Decision& decision, PodCount demand) {
  return stable_brief(decision) + "; " + early_load_text(decision) + ": " + std::to_string(demand);
}

/// Names the resource that exceeds its target by more.
std::string usage_brief(const Decision& decision, PodCount demand) {
  const ScalingSpec& spec = decision.spec;
  const Observation& seen = decision.seen;
  const bool is_cpu = pods_for_usage(spec, seen, seen.cpu, spec.cpu_target) >=
                      pods_for_usage(spec, seen, seen.memory, spec.memory_target);
  const double used = (is_cpu ? seen.cpu : seen.memory).value_or(0);
  return number_text(used * 100) + " % of the " + (is_cpu ? "CPU" : "memory") +
         " request used, target " +
         number_text((is_cpu ? spec.cpu_target : spec.memory_target) * 100) +
         " %: " + std::to_string(demand);
}

std::string waiting_brief(const Decision& decision) {
  const Observation& seen = decision.seen;
  const std::string waiting =
      std::to_string(seen.waiting) + (seen.waiting == 1 ? " request" : " requests") + " waiting, ";
  if (seen.observed > 0) {
    return waiting + replicas_text(seen.observed) + " serving: one stays for them";
  }
  const std::string nobody =
      waiting + (seen.ready > 0 ? "no ready replica reports" : "no ready replica");
  if (decision.spec.rules.first_replicas == config::FirstReplicas::kOne) {
    return nobody + ": one starts (first-replicas one)";
  }
  return quotient(nobody, static_cast<double>(seen.waiting), decision.spec.target,
                  pods_for_waiting(decision.spec, seen));
}

/// Returns "23s of the last 1m".
std::string known_text(const WindowLoad& load, Duration window) {
  return std::to_string(load.covered_seconds) + "s of the last " + duration_text(window);
}

}  // namespace

std::string demand_brief(const Decision& decision, const DesiredReplicas& demand) {
  switch (demand.rule) {
    case Rule::kEarlyScaleUp:
      return early_brief(decision, demand.pods);
    case Rule::kPanicTarget:
      return load_brief(decision, decision.seen.panic, decision.spec.panic_window,
                        decision.panic_demand);
    case Rule::kUsage:
      return usage_brief(decision, demand.pods);
    case Rule::kWaiting:
      return waiting_brief(decision);
    default:
      return stable_brief(decision);
  }
}

std::string unknown_brief(const Decision& decision) {
  const Observation& seen = decision.seen;
  const std::string stable = known_text(seen.stable, decision.spec.stable_window);
  switch (what_is_unknown(decision)) {
    case Unknown::kPodCount:
      return "the replicas could not be counted";
    case Unknown::kMetrics:
      return "the load could not be measured";
    case Unknown::kNotReporting:
      return replicas_text(seen.not_reporting) + " of " + std::to_string(seen.ready) +
             " ready ones did not report, so their load is unknown";
    case Unknown::kNoReportYet:
      return "no replica has reported yet, so the load is unknown";
    case Unknown::kBeginning:
      return "the revision, or the autoscaler, started " +
             whole_seconds_text(decision.at - decision.after.fresh->since) + " ago, and only " +
             stable + " are known";
    case Unknown::kPanicWindow:
      return "only " + known_text(seen.panic, decision.spec.panic_window) + " are known";
    case Unknown::kStableWindow:
      return "only " + stable + " are known";
  }
  return {};
}

}  // namespace bellows::autoscaler::explain
