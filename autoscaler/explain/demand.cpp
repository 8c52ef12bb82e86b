#include "autoscaler/explain/demand.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "autoscaler/core/load/backlog.hpp"
#include "autoscaler/core/load/burstiness.hpp"
#include "autoscaler/core/load/counted_pods.hpp"
#include "autoscaler/core/rules/headroom.hpp"
#include "autoscaler/core/rules/load_demand.hpp"
#include "autoscaler/explain/text.hpp"
#include "autoscaler/explain/unknown.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::explain {
namespace {

bool is_per_pod(const Decision& decision) {
  return decision.spec.rules.observed_load == config::ObservedLoad::kMeanPerPod;
}

bool is_rps(const Decision& decision) {
  return decision.spec.metric == config::Metric::kRps;
}

Duration start_time(const Decision& decision) {
  return decision.seen.start_time.value_or(Duration::zero());
}

/// One of the two windows with what its load asks for.
struct Part {
  WindowLoad load;
  Duration window;
  PodCount pods;
};

Part part_of(const Decision& decision, Rule rule) {
  const ScalingSpec& spec = decision.spec;
  const Observation seen = planned_load(spec, decision.seen, decision.after.service_seconds);
  if (rule == Rule::kPanicTarget) return {seen.panic, spec.panic_window, decision.panic_demand};
  return {seen.stable, spec.stable_window, decision.stable_demand};
}

// In a few words.

/// "...: 31.2 / 7, rounded up: 5", "...: 50 / 10 = 5".
std::string quotient(const std::string& what, double load, double divisor, PodCount pods) {
  const std::string whole = std::to_string(pods);
  const bool is_exact = number_text(load / divisor) == whole;
  return what + ": " + number_text(load) + " / " + number_text(divisor) +
         (is_exact ? " = " : ", rounded up: ") + whole;
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
  const double slots = replicas_for(spec, load.total, planned_room(decision)) * spec.total;
  const double room = std::max(0.0, slots - load.total);
  return quotient(what + " + " + number_text(room) + " headroom", slots, spec.total, pods);
}

std::string stable_brief(const Decision& decision) {
  return load_brief(decision, {decision.stable_demand, Rule::kTarget});
}

std::string early_brief(const Decision& decision, const DesiredReplicas& demand) {
  return stable_brief(decision) + "; " + number_text(decision.seen.panic.total) + " over " +
         duration_text(decision.spec.panic_window) + " and " + number_text(decision.seen.newest) +
         " in the newest second are significantly more: " + std::to_string(demand.pods);
}

std::string lasting_brief(const Decision& decision, const DesiredReplicas& demand) {
  return stable_brief(decision) + "; of " + number_text(decision.seen.newest) +
         " in the newest second more outlast a start (" +
         rounded_duration_text(start_time(decision)) + "): " + std::to_string(demand.pods);
}

std::string ahead_brief(const Decision& decision, const DesiredReplicas& demand) {
  return stable_brief(decision) + "; the load grows while a replica starts (" +
         rounded_duration_text(start_time(decision)) + "): " + std::to_string(demand.pods);
}

std::string usage_brief(const char* what, const std::optional<double>& usage, double target,
                        PodCount pods) {
  return number_text(usage.value_or(0) * 100) + " % of the " + what + " request used, target " +
         number_text(target * 100) + " %: " + std::to_string(pods);
}

std::string cpu_brief(const Decision& decision, const DesiredReplicas& demand) {
  return usage_brief("CPU", decision.seen.cpu, decision.spec.cpu_target, demand.pods);
}

std::string memory_brief(const Decision& decision, const DesiredReplicas& demand) {
  return usage_brief("memory", decision.seen.memory, decision.spec.memory_target, demand.pods);
}

/// The demand before the buffer was added.
DesiredReplicas without_buffer(const Decision& decision) {
  ScalingSpec spec = decision.spec;
  spec.rules.buffer = 0;
  return load_demand(decision, spec, decision.after);
}

std::string buffer_brief(const Decision& decision, const DesiredReplicas& demand) {
  return demand_brief(decision, without_buffer(decision)) + "; plus buffer " +
         std::to_string(decision.spec.rules.buffer) + ": " + std::to_string(demand.pods);
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
                  pods_for_waiting(decision.spec, seen, decision.after.service_seconds));
}

// As sentences.

/// "12.5 requests in flight", "80 requests a second".
std::string load_text(const Decision& decision, double load) {
  return number_text(load) + (is_rps(decision) ? " requests a second" : " requests in flight");
}

std::string average_sentence(const Decision& decision, const WindowLoad& load, Duration window) {
  return "Over the last " + duration_text(window) +
         (is_per_pod(decision) ? " each replica had " : " it had ") +
         load_text(decision, is_per_pod(decision) ? load.per_pod : load.total) +
         (is_rps(decision) ? "" : " on average");
}

/// The headroom, if square-root headroom keeps less of it than the utilisation would.
std::optional<double> headroom(const Decision& decision, double load) {
  const ScalingSpec& spec = decision.spec;
  const bool is_square_root = spec.rules.headroom == config::Headroom::kSquareRoot;
  if (!is_square_root || is_per_pod(decision) || load <= 0) return std::nullopt;
  const double amount = replicas_for(spec, load, planned_room(decision));
  // The utilisation gives the same sum with another rounding error.
  if (amount >= load / spec.target * (1 - 1e-9)) return std::nullopt;
  return amount * spec.total - load;
}

/// Headroom for growth within a start is more than headroom for chance.
bool is_for_growth(const Decision& decision, double load) {
  const ScalingSpec& spec = decision.spec;
  return replicas_for(spec, load, planned_room(decision)) >
         replicas_for(spec, load, steady_room(decision));
}

/// ", the target is 7 per replica"; ", with headroom for 56 more, at 10 per replica".
std::string share_text(const Decision& decision, double load) {
  const auto room = headroom(decision, load);
  if (!room) return ", the target is " + number_text(decision.spec.target) + " per replica";
  constexpr double kNotableSpread = 1.05;
  std::string text = ", with headroom for " + number_text(*room) + " more";
  if (is_for_growth(decision, load)) {
    text += " (for what the load grows while a replica starts, " +
            rounded_duration_text(start_time(decision)) + ")";
  } else if (spread_index(decision.after.burstiness) >= kNotableSpread) {
    text += " (arrivals come in bursts, index of dispersion " +
            number_text(decision.after.burstiness.index) + ")";
  }
  return text + ", at " + number_text(decision.spec.total) + " per replica";
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
         "; the rise is statistically significant, and its certain part counts";
}

std::string lasting_sentence(const Decision& decision, const DesiredReplicas& /*demand*/) {
  const Observation& seen = decision.seen;
  const std::string waiting =
      seen.waiting > 0 ? " and " + std::to_string(seen.waiting) + " wait" : "";
  return "The newest second had " + load_text(decision, seen.newest) + waiting +
         "; those that are still there when a replica has started (" +
         rounded_duration_text(start_time(decision)) + ") need a slot each";
}

std::string ahead_sentence(const Decision& decision, const DesiredReplicas& /*demand*/) {
  const Trend& trend = decision.after.trend;
  return average_sentence(decision, decision.seen.stable, decision.spec.stable_window) + ", " +
         whole_seconds_text(decision.at - trend.older_at) + " earlier " + number_text(trend.older) +
         "; a replica takes " + rounded_duration_text(start_time(decision)) +
         " to start, and the expected growth until then counts";
}

std::string usage_sentence(const char* what, const std::optional<double>& usage, double target) {
  return "The replicas use " + number_text(usage.value_or(0) * 100) + " % of the " + what +
         " they request, the target is " + number_text(target * 100) + " %";
}

std::string cpu_sentence(const Decision& decision, const DesiredReplicas& /*demand*/) {
  return usage_sentence("CPU", decision.seen.cpu, decision.spec.cpu_target);
}

std::string memory_sentence(const Decision& decision, const DesiredReplicas& /*demand*/) {
  return usage_sentence("memory", decision.seen.memory, decision.spec.memory_target);
}

std::string buffer_sentence(const Decision& decision, const DesiredReplicas& /*demand*/) {
  return met_demand(decision, without_buffer(decision)) + "; buffer adds " +
         std::to_string(decision.spec.rules.buffer);
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

/// One row for each rule that asks for replicas.
struct Row {
  Rule rule;
  std::string (*brief)(const Decision&, const DesiredReplicas&);
  std::string (*sentence)(const Decision&, const DesiredReplicas&);
};

constexpr std::array<Row, 9> kRows = {{
    {Rule::kTarget, load_brief, load_sentence},
    {Rule::kEarlyScaleUp, early_brief, early_sentence},
    {Rule::kLasting, lasting_brief, lasting_sentence},
    {Rule::kLookAhead, ahead_brief, ahead_sentence},
    {Rule::kPanicTarget, load_brief, load_sentence},
    {Rule::kCpu, cpu_brief, cpu_sentence},
    {Rule::kMemory, memory_brief, memory_sentence},
    {Rule::kBuffer, buffer_brief, buffer_sentence},
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
    case Rule::kLasting:
    case Rule::kLookAhead:
      return sentence + takes + " (" + stable_alone(decision) + ")";
    case Rule::kCpu:
    case Rule::kMemory:
      return sentence + takes + "; their requests alone would take " +
             std::to_string(decision.stable_demand);
    case Rule::kBuffer:
      return sentence;
    default:
      return sentence + takes;
  }
}

std::string limited_demand(const Decision& decision) {
  if (!decision.is_valid) return unknown_sentence(decision) + ", but ";
  const DesiredReplicas demand = demand_of(decision);
  if (demand.pods == 0) return idle_sentence(decision) + ", so no replica is needed, but ";
  const bool is_sum = demand.rule == Rule::kBuffer;
  return row_of(demand.rule).sentence(decision, demand) +
         (is_sum ? ", which together would take " : ", which would take ") +
         replicas_text(demand.pods) + ", but ";
}

std::string idle_sentence(const Decision& decision) {
  const Duration idle = decision.at - decision.after.last_load;
  if (idle < std::chrono::seconds(1)) return "No requests";
  return "No request for " + whole_seconds_text(idle);
}

}  // namespace bellows::autoscaler::explain
