#include "autoscaler/explain/catalogue.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "autoscaler/core/rules/load_demand.hpp"
#include "autoscaler/core/rules/scale_to_zero.hpp"
#include "autoscaler/explain/next.hpp"
#include "autoscaler/explain/reason.hpp"
#include "autoscaler/explain/text.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::explain {
namespace {

std::string stable_alone(const Subject& subject) {
  return "; the load of the last " + duration_text(subject.decision.spec.stable_window) +
         " alone would take " + std::to_string(subject.decision.stable_demand);
}

std::string since_panic(const Subject& subject) {
  const auto& panic = subject.decision.after.panic;
  return panic ? " since " + subject.clock(panic->since) : std::string();
}

std::string seconds_text(float seconds) {
  return duration_text(std::chrono::seconds(static_cast<std::int64_t>(seconds + 0.5F)));
}

/// Returns the idle times that learned keep-alive decides from: " (its last 12 idle times: 4m50s to
/// 5m10s, half of them at most 5m)".
std::string known_idle_times(const Subject& subject) {
  const IdleTimes::Durations all = subject.idle_times.idle_times();
  std::vector<float> known(all.begin(), all.end());
  const auto keep_alive = subject.decision.spec.rules.keep_alive;
  if (keep_alive != config::KeepAlive::kLearned || known.empty()) return {};
  std::ranges::sort(known);
  return " (its last " + std::to_string(known.size()) +
         " idle times: " + seconds_text(known.front()) + " to " + seconds_text(known.back()) +
         ", half of them at most " + seconds_text(known[(known.size() - 1) / 2]) + ")";
}

std::string idle_at_zero(const Subject& subject) {
  const Duration idle = subject.decision.at - subject.decision.after.last_load;
  return (idle < std::chrono::seconds(1) ? "" : " for " + whole_seconds_text(idle)) +
         known_idle_times(subject);
}

std::string where_shown(const Subject& subject) {
  const Decision& decision = subject.decision;
  const bool is_by_machine = decision.rule == Rule::kMachineRoom;
  if (is_by_machine) return " (`bellows status` names it)";
  return is_bypassed(decision.spec, decision.seen) ? " (`bellows status` shows the cause)" : "";
}

std::string other_policies(const Subject& subject) {
  const PolicyOutcome* outcome = subject.decision.policies.get();
  if (outcome == nullptr || outcome->winner < 0 || outcome->proposals.size() < 2) return {};
  std::string text = ". It is the most that the policies ask for; the others:";
  for (std::size_t i = 0; i < outcome->proposals.size(); ++i) {
    if (static_cast<std::int32_t>(i) == outcome->winner) continue;
    const auto& [replicas, reason, is_by_load] = outcome->proposals[i];
    text +=
        replicas ? " " + std::to_string(*replicas) + " (" + reason + ")" : " cannot say: " + reason;
    text += i + 1 < outcome->proposals.size() ? "," : "";
  }
  return text;
}

std::string load_of_paused(const Subject& subject) {
  if (!subject.decision.is_valid) return {};
  const PodCount demand = demand_of(subject.decision).pods;
  return "; the known load would take " + (demand == 0 ? "none" : std::to_string(demand));
}

/// Returns "`bellows resume web`", with NAME for a service whose name is not known.
std::string resume_command(std::string_view service) {
  return "`bellows resume " + std::string(service.empty() ? "NAME" : service) + "`";
}

std::string next_of_paused(const Subject& subject) {
  return "Its load decides again after " + resume_command(subject.service);
}

std::string next_of_retired(const Subject& subject) {
  return resume_command(subject.service) + " brings it back";
}

/// A sentence, or what makes it.
template <class Of>
class Text {
 public:
  constexpr Text(const char* fixed) : fixed_(fixed) {}             // NOLINT: a column
  constexpr Text(std::string (*made)(const Of&)) : made_(made) {}  // NOLINT: the same
  std::string of(const Of& about) const { return made_ == nullptr ? fixed_ : made_(about); }

 private:
  const char* fixed_ = nullptr;
  std::string (*made_)(const Of&) = nullptr;
};

struct RuleTexts {
  Rule rule;
  Text<Decision> brief;
  Text<Subject> details;  // after it, for `bellows explain`; empty: none
  Text<Subject> next;     // empty: nothing to say
};

constexpr std::array<RuleTexts, kRules> kRuleTexts = {{
    {Rule::kTarget, brief_demand, "", next_panic},
    {Rule::kEarlyScaleUp, brief_demand, "", next_panic},
    {Rule::kPanicTarget, brief_demand, stable_alone, ""},
    {Rule::kUsage, brief_demand, stable_alone, ""},
    {Rule::kWaiting, brief_demand, "", next_ready},
    {Rule::kNoData, brief_hold, "", next_report},
    {Rule::kDownRate, brief_hold, "", next_evaluation},
    {Rule::kUpRate, brief_hold, "", next_evaluation},
    {Rule::kActivationScale, brief_hold, "", ""},
    {Rule::kPanicHold, brief_hold, since_panic, ""},
    {Rule::kDelay, brief_hold, "", "It scales down once no more was needed for that long"},
    {Rule::kInitialScale, brief_initial_scale, "", next_ready},
    {Rule::kMinScale, brief_min_scale, "", next_panic},
    {Rule::kMaxScale, brief_max_scale, "", "More load changes nothing until max-scale is raised"},
    {Rule::kExpected, brief_idle, known_idle_times, next_removal},
    {Rule::kLastReplica, brief_idle, known_idle_times, next_removal},
    {Rule::kGrace, brief_idle, where_shown, next_removal},
    {Rule::kToZero, brief_idle, known_idle_times, next_request},
    {Rule::kAtZero, "no requests", idle_at_zero, next_request},
    {Rule::kMachineRoom, brief_machine_room, where_shown,
     "More load brings replicas back at once, whether they fit or not"},
    {Rule::kPolicy, brief_policy, other_policies, next_by_policy},
    {Rule::kOccupied, brief_occupied, "", ""},
    {Rule::kPaused, "it is paused", load_of_paused, next_of_paused},
    {Rule::kRetired, "it is retired", " and serves no requests any more", next_of_retired},
}};

constexpr bool has_a_row_for_every_rule() {
  for (std::size_t i = 0; i < kRules; ++i) {
    if (static_cast<std::size_t>(kRuleTexts[i].rule) != i) return false;
  }
  return true;
}
static_assert(has_a_row_for_every_rule(), "a rule has no texts, or not in its place");

const RuleTexts& texts_of(const Decision& decision) {
  return kRuleTexts[static_cast<std::size_t>(decision.rule)];
}

}  // namespace

std::string reason_text(const Decision& decision) {
  return std::to_string(decision.replicas) + " because " + brief(decision);
}

std::string brief(const Decision& decision) {
  return texts_of(decision).brief.of(decision);
}

std::string brief(const Decision& decision, std::string_view service) {
  const bool is_ordered = decision.rule == Rule::kPaused || decision.rule == Rule::kRetired;
  return brief(decision) + (is_ordered ? "; " + resume_command(service) + " undoes it" : "");
}

std::string why(const Subject& subject) {
  return brief(subject.decision) + texts_of(subject.decision).details.of(subject);
}

std::string next(const Subject& subject) {
  const Rule rule = subject.decision.rule;
  const bool is_by_panic =
      rule != Rule::kUpRate && rule != Rule::kMaxScale && rule != Rule::kPaused;
  if (subject.decision.after.panic && is_by_panic) return next_in_panic(subject);
  return texts_of(subject.decision).next.of(subject);
}

}  // namespace bellows::autoscaler::explain
