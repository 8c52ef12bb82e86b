#include "autoscaler/core/reason_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "autoscaler/core/pods_for.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler {
namespace {

/// Three digits, no needless zeros: 0.333, 4.46, 31.2, 1234.
std::string number(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  std::string text = buffer.data();
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string replicas(PodCount count) {
  return std::to_string(count) + (count == 1 ? " replica" : " replicas");
}

std::string quotient(const std::string& what, double load, const ScalingSpec& spec, PodCount pods) {
  const std::string exact = number(load / spec.target);
  std::string text = what + " / target " + number(spec.target) + " = " + exact;
  const std::string whole = std::to_string(pods);
  if (exact != whole) text += " -> " + whole;
  return text;
}

bool panic_decides(const Decision& decision) {
  return decision.mode == Mode::kPanic && decision.panic_answer > decision.stable_answer;
}

/// What the load alone asks for.
std::string load_clause(const Decision& decision) {
  const bool is_panic = panic_decides(decision);
  const WindowLoad& load = is_panic ? decision.seen.panic : decision.seen.stable;
  const Duration window = is_panic ? decision.spec.panic_window : decision.spec.stable_window;
  const PodCount pods = is_panic ? decision.panic_answer : decision.stable_answer;
  return quotient(number(load.total) + " in flight over " + duration_text(window), load.total,
                  decision.spec, pods);
}

std::string waiting_clause(const Decision& decision) {
  const auto waiting = static_cast<double>(decision.seen.waiting);
  const PodCount pods = std::max<PodCount>(1, pods_for(waiting, decision.spec.target));
  return quotient(number(waiting) + " waiting while nobody serves", waiting, decision.spec, pods);
}

bool waiting_decides(const Decision& decision) {
  return decision.seen.waiting > 0 && decision.seen.observed == 0;
}

std::string base_clause(const Decision& decision) {
  return waiting_decides(decision) ? waiting_clause(decision) : load_clause(decision);
}

std::string idle_clause(const Decision& decision) {
  const std::string window = duration_text(decision.spec.stable_window);
  if (decision.seen.waiting > 0) return std::to_string(decision.seen.waiting) + " waiting";
  if (!decision.after.idle_since) {
    const bool has_load = decision.seen.stable.total > 0;
    return has_load ? "the last " + window + " held load"
                    : "only " + std::to_string(decision.seen.stable.covered_seconds) +
                          "s of the last " + window + " are known";
  }
  const Duration idle = decision.at - *decision.after.idle_since;
  return "no load for " + rounded_duration_text(decision.spec.stable_window + idle);
}

std::string fresh_clause(const Decision& decision) {
  return "kept at " + std::to_string(decision.before_bounds) + " until more is known (" +
         std::to_string(decision.seen.stable.covered_seconds) + "s of " +
         duration_text(decision.spec.stable_window) + ", " + replicas(decision.seen.silent) +
         " silent)";
}

std::string up_rate_clause(const Decision& decision) {
  return "held to " + std::to_string(decision.up_limit) + " by max-scale-up-rate " +
         number(decision.spec.max_scale_up_rate) + " with " + replicas(decision.seen.observed) +
         " observed";
}

std::string min_scale_clause(const Decision& decision) {
  const bool is_min_scale = decision.want == decision.spec.min_scale;
  return "raised to " + std::to_string(decision.want) +
         (is_min_scale ? " by min-scale" : " because scale-to-zero is off");
}

}  // namespace

std::string because(const Decision& decision) {
  const std::string pods = std::to_string(decision.want);
  switch (decision.rule) {
    case Rule::kTarget:
    case Rule::kPanicTarget:
      return load_clause(decision);
    case Rule::kNoData:
      return "the load of " + replicas(decision.seen.ready + decision.seen.starting) +
             " is unknown: held";
    case Rule::kWaiting:
      return waiting_clause(decision);
    case Rule::kUpRate:
      return base_clause(decision) + ", " + up_rate_clause(decision);
    case Rule::kFreshStart:
      return base_clause(decision) + ", " + fresh_clause(decision);
    case Rule::kPanicHold:
      return base_clause(decision) + ", kept at " + pods + " by panic mode";
    case Rule::kLastReplica:
      return idle_clause(decision) + ", the last replica stays a while";
    case Rule::kToZero:
      return idle_clause(decision) + ", grace time included";
    case Rule::kAtZero:
      return "nobody calls";
    case Rule::kMinScale:
      return base_clause(decision) + ", " + min_scale_clause(decision);
    case Rule::kMaxScale:
      return base_clause(decision) + ", held to " + pods + " by max-scale";
    case Rule::kRetired:
      return "it is retired";
  }
  return {};
}

std::string reason_text(const Decision& decision) {
  return std::to_string(decision.want) + " because " + because(decision);
}

}  // namespace bellows::autoscaler
