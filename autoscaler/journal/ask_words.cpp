#include "autoscaler/journal/ask_words.hpp"

#include <optional>

#include "autoscaler/core/burstiness.hpp"
#include "autoscaler/core/headroom.hpp"
#include "autoscaler/core/load_answer.hpp"
#include "autoscaler/core/number_text.hpp"
#include "autoscaler/journal/unknown_words.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::journal {
namespace {

std::string number(double value) {
  return rounded_number_text(value);
}

bool is_per_pod(const Decision& decision) {
  return decision.spec.rules.observed_load == config::ObservedLoad::kMeanPerPod;
}

/// "12.5 requests in flight", "80 requests a second".
std::string load_words(double load, const ScalingSpec& spec) {
  const bool is_rps = spec.metric == config::Metric::kRps;
  return number(load) + (is_rps ? " requests a second" : " requests in flight");
}

std::string average_words(const Decision& decision, const WindowLoad& load, Duration window) {
  const bool is_rps = decision.spec.metric == config::Metric::kRps;
  return "Over the last " + duration_text(window) +
         (is_per_pod(decision) ? " each replica had " : " it had ") +
         load_words(is_per_pod(decision) ? load.per_pod : load.total, decision.spec) +
         (is_rps ? "" : " on average");
}

/// Room kept for chance, where square-root headroom leaves less of it than the utilisation would.
std::optional<double> room_for_chance(const Decision& decision, double load) {
  const ScalingSpec& spec = decision.spec;
  const bool is_square_root = spec.rules.headroom == config::Headroom::kSquareRoot;
  if (!is_square_root || is_per_pod(decision) || load <= 0) return std::nullopt;
  const double amount = replicas_for(spec, load, planned_spread(decision));
  // What the utilisation gives comes out of the same sum, rounded otherwise.
  if (amount >= load / spec.target * (1 - 1e-9)) return std::nullopt;
  return amount * spec.total - load;
}

/// What one replica takes: ", and one replica should carry 7".
std::string share_words(const Decision& decision, double load) {
  const auto room = room_for_chance(decision, load);
  if (!room) return ", and one replica should carry " + number(decision.spec.target);
  constexpr double kWorthTelling = 1.05;
  std::string text = ", with room kept for " + number(*room) + " more";
  if (spread_index(decision.after.burstiness) >= kWorthTelling) {
    text += " (calls come in bursts, " + number(decision.after.burstiness.index) +
            " times as uneven as by chance)";
  }
  return text + " and " + number(decision.spec.total) + " per replica";
}

std::string window_words(const Decision& decision, const WindowLoad& load, Duration window) {
  return average_words(decision, load, window) + share_words(decision, load.total);
}

std::string rise_words(const Decision& decision) {
  const Observation& seen = decision.seen;
  return "The newest second had " + load_words(seen.newest, decision.spec) + ", the last " +
         duration_text(decision.spec.panic_window) + " had " + number(seen.panic.total) +
         " and the last " + duration_text(decision.spec.stable_window) + " had " +
         number(seen.stable.total) +
         "; that is a rise beyond chance, and what is sure of it counts";
}

std::string ahead_words(const Decision& decision) {
  const Trend& trend = decision.after.trend;
  const Duration start = decision.seen.start_time.value_or(Duration::zero());
  return average_words(decision, decision.seen.stable, decision.spec.stable_window) + ", " +
         whole_seconds_text(decision.at - trend.older_at) + " earlier " + number(trend.older) +
         "; a replica takes " + rounded_duration_text(start) +
         " to start, and what the load may grow by until then counts";
}

std::string usage_words(const char* what, const std::optional<double>& usage, double target) {
  return "The replicas use " + number(usage.value_or(0) * 100) + " % of the " + what +
         " they ask for and should use " + number(target * 100) + " %";
}

std::string waiting_words(const Decision& decision) {
  const Observation& seen = decision.seen;
  const std::string who =
      std::to_string(seen.waiting) + (seen.waiting == 1 ? " request waits" : " requests wait");
  if (seen.observed > 0) {
    return who + " beside " + replicas_text(seen.observed) + " that serve" +
           (seen.observed == 1 ? "s" : "") + ", and one must stay for that";
  }
  const std::string alone =
      who + (seen.ready > 0 ? " and no ready replica reports; " : " and no replica serves yet; ");
  if (decision.spec.rules.first_replicas == config::FirstReplicas::kOne) {
    return alone + "one is asked for whatever waits (first-replicas one)";
  }
  return alone + "one should carry " + number(decision.spec.target);
}

/// The answer to the load before the buffer came on top.
Answer bare(const Decision& decision) {
  ScalingSpec spec = decision.spec;
  spec.rules.buffer = 0;
  return load_answer(decision, spec, decision.after);
}

std::string alone_words(const Decision& decision) {
  return "the last " + duration_text(decision.spec.stable_window) + " alone would take " +
         std::to_string(decision.stable_answer);
}

}  // namespace

std::string ask_words(const Decision& decision, const Answer& ask) {
  const Observation& seen = decision.seen;
  const ScalingSpec& spec = decision.spec;
  switch (ask.rule) {
    case Rule::kRise:
      return rise_words(decision);
    case Rule::kLookAhead:
      return ahead_words(decision);
    case Rule::kPanicTarget:
      return window_words(decision, seen.panic, spec.panic_window);
    case Rule::kCpu:
      return usage_words("CPU", seen.cpu, spec.cpu_target);
    case Rule::kMemory:
      return usage_words("memory", seen.memory, spec.memory_target);
    case Rule::kBuffer:
      return met_ask_words(decision, bare(decision)) + "; buffer adds " +
             std::to_string(spec.rules.buffer);
    case Rule::kWaiting:
      return waiting_words(decision);
    default:
      return window_words(decision, seen.stable, spec.stable_window);
  }
}

std::string met_ask_words(const Decision& decision, const Answer& ask) {
  const std::string words = ask_words(decision, ask);
  const std::string takes = ", which takes " + std::to_string(ask.pods);
  switch (ask.rule) {
    case Rule::kPanicTarget:
      return words + takes + "; it is in panic mode, so the short window counts (" +
             alone_words(decision) + ")";
    case Rule::kRise:
    case Rule::kLookAhead:
      return words + takes + " (" + alone_words(decision) + ")";
    case Rule::kCpu:
    case Rule::kMemory:
      return words + takes + "; their requests alone would take " +
             std::to_string(decision.stable_answer);
    case Rule::kBuffer:
      return words;
    default:
      return words + takes;
  }
}

std::string limited_ask_words(const Decision& decision) {
  if (!decision.is_valid) return unknown_words(decision) + ", but ";
  const Answer ask = ask_of(decision);
  if (ask.pods == 0) return idle_words(decision) + ", so none is needed, but ";
  const std::string total =
      ask.rule == Rule::kBuffer ? ", which together would take " : ", which would take ";
  return ask_words(decision, ask) + total + replicas_text(ask.pods) + ", but ";
}

std::string idle_words(const Decision& decision) {
  const Duration idle = decision.at - decision.after.last_load;
  if (idle < std::chrono::seconds(1)) return "Nobody calls";
  return "Nobody has called for " + whole_seconds_text(idle);
}

}  // namespace bellows::autoscaler::journal
