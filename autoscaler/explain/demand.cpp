#include "autoscaler/explain/demand.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "autoscaler/core/load/counted_pods.hpp"
#include "autoscaler/core/rules/headroom.hpp"
#include "autoscaler/core/rules/load_demand.hpp"
#include "autoscaler/explain/text.hpp"
#include "autoscaler/explain/unknown.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::explain {
namespace {

bool is_per_pod(const Decision& decision) {
  return decision.spec.is_seed;
}

bool is_rps(const Decision& decision) {
  return decision.spec.metric == config::Metric::kRps;
}

/// One of the two windows with the demand of its load.
struct Part {
  WindowLoad load;
  Duration window;
  PodCount pods;
};

Part part_of(const Decision& decision, Rule rule) {
  const ScalingSpec& spec = decision.spec;
  const Observation& seen = decision.seen;
  if (rule == Rule::kPanicTarget) return {seen.panic, spec.panic_window, decision.panic_demand};
  return {seen.stable, spec.stable_window, decision.stable_demand};
}

// In a few words.

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

std::string load_brief(const Decision& decision, const DesiredReplicas& demand) {
  const ScalingSpec& spec = decision.spec;
  const auto [load, window, pods] = part_of(decision, demand.rule);
  const std::string unit = is_rps(decision) ? " requests/s" : " requests in flight";
  const std::string over = " over " + duration_text(window);
  if (is_per_pod(decision)) {
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
  return load_brief(decision, {decision.stable_demand, Rule::kTarget});
}

std::string early_brief(const Decision& decision, const DesiredReplicas& demand) {
  return stable_brief(decision) + "; " + number_text(decision.seen.panic.total) + " over " +
         duration_text(decision.spec.panic_window) + " and " + number_text(decision.seen.newest) +
         " in the newest second are more than chance, or outlast a start: " +
         std::to_string(demand.pods);
}

/// Returns the resource that exceeds its target by more, with its usage and target.
struct Usage {
  const char* what;
  double used;
  double target;
};

Usage usage_of(const Decision& decision) {
  const ScalingSpec& spec = decision.spec;
  const Observation& seen = decision.seen;
  const PodCount by_cpu = pods_for_usage(spec, seen, seen.cpu, spec.cpu_target);
  if (by_cpu >= pods_for_usage(spec, seen, seen.memory, spec.memory_target)) {
    return {"CPU", seen.cpu.value_or(0), spec.cpu_target};
  }
  return {"memory", *seen.memory, spec.memory_target};
}

std::string usage_brief(const Decision& decision, const DesiredReplicas& demand) {
  const Usage usage = usage_of(decision);
  return number_text(usage.used * 100) + " % of the " + usage.what + " request used, target " +
         number_text(usage.target * 100) + " %: " + std::to_string(demand.pods);
}

bool is_one_enough(const Decision& decision) {
  return decision.spec.rules.first_replicas == config::FirstReplicas::kOne;
}

std::string waiting_brief(const Decision& decision, const DesiredReplicas& /*demand*/) {
  const Observation& seen = decision.seen;
  const std::string waiting = requests_text(seen.waiting) + " waiting, ";
  if (seen.observed > 0) {
    return waiting + replicas_text(seen.observed) + " serving: one stays for them";
  }
  const std::string nobody =
      waiting + (seen.ready > 0 ? "no ready replica reports" : "no ready replica");
  if (is_one_enough(decision)) return nobody + ": one starts (first-replicas one)";
  return quotient(nobody, static_cast<double>(seen.waiting), decision.spec.target,
                  pods_for_waiting(decision.spec, seen));
}

// As sentences.

/// Returns "12.5 requests in flight", "80 requests a second".
std::string load_text(const Decision& decision, double load) {
  return number_text(load) + (is_rps(decision) ? " requests a second" : " requests in flight");
}

std::string average_sentence(const Decision& decision, const WindowLoad& load, Duration window) {
  return "Over the last " + duration_text(window) +
         (is_per_pod(decision) ? " each replica had " : " it had ") +
         load_text(decision, is_per_pod(decision) ? load.per_pod : load.total) +
         (is_rps(decision) ? "" : " on average");
}

/// Returns the headroom, if square-root headroom reserves less than the utilisation would.
std::optional<double> headroom(const Decision& decision, double load) {
  const ScalingSpec& spec = decision.spec;
  const bool is_square_root = spec.rules.headroom == config::Headroom::kSquareRoot;
  if (!is_square_root || is_per_pod(decision) || load <= 0) return std::nullopt;
  const double amount = replicas_for(spec, load, decision.dispersion);
  // The utilisation gives the same sum with another rounding error.
  if (amount >= load / spec.target * (1 - 1e-9)) return std::nullopt;
  return amount * spec.total - load;
}

/// Returns ", the target is 7 per replica"; ", with headroom for 56 more, at 10 per replica".
std::string share_text(const Decision& decision, double load) {
  const auto room = headroom(decision, load);
  const std::string why = dispersion_text(decision, load);
  if (!room) return ", the target is " + number_text(decision.spec.target) + " per replica" + why;
  return ", with headroom for " + number_text(*room) + " more" + why + ", at " +
         number_text(decision.spec.total) + " per replica";
}

std::string load_sentence(const Decision& decision, const DesiredReplicas& demand) {
  const auto [load, window, pods] = part_of(decision, demand.rule);
  return average_sentence(decision, load, window) + share_text(decision, load.total);
}

std::string early_sentence(const Decision& decision, const DesiredReplicas& /*demand*/) {
  const Observation& seen = decision.seen;
  return "The newest second had " + load_text(decision, seen.newest) + ", the last " +
         duration_text(decision.spec.panic_window) + " had " + number_text(seen.panic.total) +
         " and the last " + duration_text(decision.spec.stable_window) + " had " +
         number_text(seen.stable.total) +
         "; what is certain of the rise, or outlasts a start, counts";
}

std::string usage_sentence(const Decision& decision, const DesiredReplicas& /*demand*/) {
  const Usage usage = usage_of(decision);
  return "The replicas use " + number_text(usage.used * 100) + " % of the " + usage.what +
         " they request, the target is " + number_text(usage.target * 100) + " %";
}

std::string waiting_sentence(const Decision& decision, const DesiredReplicas& /*demand*/) {
  const Observation& seen = decision.seen;
  const std::string waiting =
      requests_text(seen.waiting) + (seen.waiting == 1 ? " waits" : " wait");
  if (seen.observed > 0) {
    return waiting + " while " + replicas_text(seen.observed) +
           (seen.observed == 1 ? " serves" : " serve") + ", and one must stay for that";
  }
  const std::string nobody =
      waiting + (seen.ready > 0 ? " and no ready replica reports; " : " and no replica is ready; ");
  if (is_one_enough(decision)) return nobody + "one starts however many wait (first-replicas one)";
  return nobody + "the target is " + number_text(decision.spec.target) + " per replica";
}

/// The texts of the rules that order replicas, a row for each.
struct Row {
  Rule rule;
  std::string (*brief)(const Decision&, const DesiredReplicas&);
  std::string (*sentence)(const Decision&, const DesiredReplicas&);
};

constexpr std::array<Row, 5> kRows = {{
    {Rule::kTarget, load_brief, load_sentence},
    {Rule::kEarlyScaleUp, early_brief, early_sentence},
    {Rule::kPanicTarget, load_brief, load_sentence},
    {Rule::kUsage, usage_brief, usage_sentence},
    {Rule::kWaiting, waiting_brief, waiting_sentence},
}};

const Row& row_of(Rule rule) {
  return *std::ranges::find(kRows, rule, &Row::rule);
}

std::string stable_alone(const Decision& decision) {
  return "the last " + duration_text(decision.spec.stable_window) + " alone would take " +
         std::to_string(decision.stable_demand);
}

}  // namespace

std::string demand_brief(const Decision& decision, const DesiredReplicas& demand) {
  return row_of(demand.rule).brief(decision, demand);
}

std::string met_demand(const Decision& decision, const DesiredReplicas& demand) {
  const std::string sentence = row_of(demand.rule).sentence(decision, demand);
  const std::string takes = ", which takes " + std::to_string(demand.pods);
  switch (demand.rule) {
    case Rule::kPanicTarget:
      return sentence + takes + "; it is in panic mode, so the short window counts (" +
             stable_alone(decision) + ")";
    case Rule::kEarlyScaleUp:
      return sentence + takes + " (" + stable_alone(decision) + ")";
    case Rule::kUsage:
      return sentence + takes + "; their requests alone would take " +
             std::to_string(decision.stable_demand);
    default:
      return sentence + takes;
  }
}

std::string limited_demand(const Decision& decision) {
  if (!decision.is_valid) return unknown_sentence(decision) + ", but ";
  const DesiredReplicas demand = demand_of(decision);
  if (demand.pods == 0) return idle_sentence(decision) + ", so no replica is needed, but ";
  return row_of(demand.rule).sentence(decision, demand) + ", which would take " +
         replicas_text(demand.pods) + ", but ";
}

std::string idle_sentence(const Decision& decision) {
  const Duration idle = decision.at - decision.after.last_load;
  if (idle < std::chrono::seconds(1)) return "No requests";
  return "No request for " + whole_seconds_text(idle);
}

}  // namespace bellows::autoscaler::explain
