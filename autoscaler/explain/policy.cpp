#include "autoscaler/explain/policy.hpp"

#include "autoscaler/explain/text.hpp"

namespace bellows::autoscaler::explain {
namespace {

std::string said(const Proposal& proposal) {
  if (!proposal.replicas) return "cannot say: " + proposal.reason;
  return std::to_string(*proposal.replicas) + " (" + proposal.reason + ")";
}

}  // namespace

std::string brief_policy(const Decision& decision) {
  const PolicyOutcome* outcome = decision.policies.get();
  if (outcome == nullptr) return "a policy asks for it";
  if (outcome->winner >= 0) {
    const auto& winner = outcome->proposals[static_cast<std::size_t>(outcome->winner)];
    return "policy " + outcome->name + ": " + winner.reason;
  }
  std::string reasons;
  for (const Proposal& proposal : outcome->proposals) {
    reasons += (reasons.empty() ? "" : "; ") + proposal.reason;
  }
  return "no policy can say: " + reasons + ": held";
}

std::string why_policy(const Subject& subject) {
  const Decision& decision = subject.decision;
  std::string text = "The reason is " + brief_policy(decision);
  const PolicyOutcome* outcome = decision.policies.get();
  if (outcome == nullptr || outcome->winner < 0 || outcome->proposals.size() < 2) return text;
  text += ". It is the most that the policies ask for; the others:";
  for (std::size_t i = 0; i < outcome->proposals.size(); ++i) {
    if (static_cast<std::int32_t>(i) == outcome->winner) continue;
    text += " " + said(outcome->proposals[i]);
    text += i + 1 < outcome->proposals.size() ? "," : "";
  }
  return text;
}

std::string next_by_policy(const Subject& subject) {
  const Decision& decision = subject.decision;
  if (!decision.seen.policy) return {};
  std::string text;
  for (const std::string& line : decision.spec.policies.ahead(*decision.seen.policy.get())) {
    text += (text.empty() ? "Next: " : "; ") + line;
  }
  return text;
}

std::string brief_occupied(const Decision& decision) {
  const PolicySeen* seen = decision.seen.policy.get();
  const PodCount unreported = seen != nullptr ? seen->unreported : 0;
  const PodCount occupied = seen != nullptr ? seen->kept - unreported : 0;
  const std::string otherwise = "; without that it would be " + std::to_string(decision.bounded);
  const std::string busy = replicas_text(occupied) + (occupied == 1 ? " is" : " are") + " occupied";
  if (unreported == 0) return busy + " and not removed" + otherwise;
  return (occupied > 0 ? busy + ", " : "") + replicas_text(unreported) +
         (unreported == 1 ? " has" : " have") + " not reported yet: not removed" + otherwise;
}

std::string why_occupied(const Subject& subject) {
  return "The reason is that " + brief_occupied(subject.decision);
}

}  // namespace bellows::autoscaler::explain
