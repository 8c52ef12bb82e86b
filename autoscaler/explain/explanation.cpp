#include "autoscaler/explain/explanation.hpp"

#include "autoscaler/explain/catalogue.hpp"
#include "autoscaler/explain/next.hpp"
#include "autoscaler/explain/text.hpp"

namespace bellows::autoscaler::explain {
namespace {

std::string are(PodCount count) {
  if (count == 0) return "none is";
  return std::to_string(count) + (count == 1 ? " is" : " are");
}

/// Returns the index of the first decision since which the number is the same.
std::size_t since(std::span<const Decision> decisions) {
  std::size_t first = decisions.size() - 1;
  while (first > 0 && decisions[first - 1].replicas == decisions.back().replicas) --first;
  return first;
}

std::string state_of(const std::string& service, std::span<const Decision> decisions,
                     const ClockText& clock) {
  const Decision& last = decisions.back();
  const std::size_t first = since(decisions);
  std::string text = service + " should have " +
                     (last.replicas == 0 ? "no replicas" : replicas_text(last.replicas)) +
                     ", since " + clock(decisions[first].at) + (first == 0 ? " or longer" : "") +
                     "; " + are(last.seen.ready) + " ready";
  if (last.seen.starting > 0) text += ", " + are(last.seen.starting) + " starting";
  return text;
}

/// Returns a warning of a start that exceeds the machine.
std::string room_text(const Decision& decision) {
  const auto& more = decision.seen.room_more;
  if (!more) return {};
  const PodCount starts = decision.replicas - decision.seen.requested;
  const std::string advice = " (`bellows status` shows what fits)";
  if (starts > *more) {
    return " The machine has room for " + (*more == 0 ? "none" : std::to_string(*more)) +
           " of the " + replicas_text(starts) + " that it starts" + advice + ".";
  }
  const PodCount max = decision.spec.max_scale;
  const bool may_grow = max == 0 || decision.replicas < max;
  if (starts < *more || !may_grow || decision.seen.is_retired) return {};
  return " The machine has no room for another replica of it" + advice + ".";
}

}  // namespace

std::string explanation(const std::string& service, std::span<const Decision> decisions,
                        const IdleTimes& idle_times, const ClockText& clock) {
  const Subject subject{decisions.back(), idle_times, clock, service};
  std::string text = state_of(service.empty() ? "the service" : service, decisions, clock);
  text += ". The reason is: " + why(subject) + ".";
  std::string after = next(subject);
  // A schedule that does not decide now may do so later.
  const bool is_told = subject.decision.rule == Rule::kPolicy;
  if (const std::string ahead = is_told ? std::string() : next_by_policy(subject); !ahead.empty()) {
    after += (after.empty() ? "" : ". ") + ahead;
  }
  if (!after.empty()) text += " " + after + ".";
  return text + room_text(subject.decision);
}

}  // namespace bellows::autoscaler::explain
