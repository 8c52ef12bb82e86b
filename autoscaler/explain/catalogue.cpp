#include "autoscaler/explain/catalogue.hpp"

#include <algorithm>
#include <array>

#include "autoscaler/explain/brief.hpp"
#include "autoscaler/explain/next.hpp"
#include "autoscaler/explain/policy.hpp"
#include "autoscaler/explain/why.hpp"

namespace bellows::autoscaler::explain {
namespace {

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
  Text<Subject> why;
  Text<Subject> next;  // empty: nothing to say
};

constexpr std::array<RuleTexts, kRules> kRuleTexts = {{
    {Rule::kTarget, brief_demand, why_demand, next_panic},
    {Rule::kEarlyScaleUp, brief_demand, why_demand, next_panic},
    {Rule::kPanicTarget, brief_demand, why_demand, ""},
    {Rule::kUsage, brief_demand, why_demand, ""},
    {Rule::kWaiting, brief_demand, why_demand, next_ready},
    {Rule::kNoData, brief_hold, why_no_data, next_report},
    {Rule::kDownRate, brief_hold, why_down_rate, next_evaluation},
    {Rule::kUpRate, brief_hold, why_up_rate, next_evaluation},
    {Rule::kActivationScale, brief_hold, why_activation_scale, ""},
    {Rule::kPanicHold, brief_hold, why_panic_hold, ""},
    {Rule::kDelay, brief_hold, why_delay, "It scales down once no more was needed for that long"},
    {Rule::kInitialScale, brief_initial_scale, why_initial_scale, next_ready},
    {Rule::kMinScale, brief_min_scale, why_min_scale, next_panic},
    {Rule::kMaxScale, brief_max_scale, why_max_scale,
     "More load changes nothing until max-scale is raised"},
    {Rule::kExpected, brief_idle, why_expected, next_removal},
    {Rule::kLastReplica, brief_idle, why_last_replica, next_removal},
    {Rule::kGrace, brief_idle, why_grace, next_removal},
    {Rule::kToZero, brief_idle, why_zero, next_request},
    {Rule::kAtZero, "no requests", why_zero, next_request},
    {Rule::kMachineRoom, brief_machine_room, why_machine_room,
     "More load brings replicas back at once, whether they fit or not"},
    {Rule::kPolicy, brief_policy, why_policy, next_by_policy},
    {Rule::kOccupied, brief_occupied, why_occupied, ""},
    {Rule::kPaused, "it is paused", why_paused, "Its load decides again once it is resumed"},
    {Rule::kRetired, "it is retired", "It is retired and serves no requests any more", ""},
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

std::string why(const Subject& subject) {
  return texts_of(subject.decision).why.of(subject);
}

std::string next(const Subject& subject) {
  const Rule rule = subject.decision.rule;
  const bool is_by_panic =
      rule != Rule::kUpRate && rule != Rule::kMaxScale && rule != Rule::kPaused;
  if (subject.decision.after.panic && is_by_panic) return next_in_panic(subject);
  return texts_of(subject.decision).next.of(subject);
}

}  // namespace bellows::autoscaler::explain
