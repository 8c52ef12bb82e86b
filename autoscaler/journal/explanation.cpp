#include "autoscaler/journal/explanation.hpp"

#include "autoscaler/core/number_text.hpp"

namespace bellows::autoscaler::journal {
namespace {

std::string are(PodCount count) {
  if (count == 0) return "none is";
  return std::to_string(count) + (count == 1 ? " is" : " are");
}

/// The first of the decisions at the end that want the same number.
std::size_t since(std::span<const Decision> decisions) {
  std::size_t first = decisions.size() - 1;
  while (first > 0 && decisions[first - 1].want == decisions.back().want) --first;
  return first;
}

std::string state_of(const std::string& service, std::span<const Decision> decisions,
                     const ClockText& clock) {
  const Decision& last = decisions.back();
  const std::size_t first = since(decisions);
  std::string text = service + " should have " +
                     (last.want == 0 ? "no replicas" : replicas_text(last.want)) + ", since " +
                     clock(decisions[first].at) + (first == 0 ? " or longer" : "") + "; " +
                     are(last.seen.ready) + " ready";
  if (last.seen.starting > 0) text += ", " + are(last.seen.starting) + " starting";
  return text;
}

}  // namespace

std::string explanation(const std::string& service, std::span<const Decision> decisions,
                        const Gaps& calls, const ClockText& clock) {
  const Subject subject{decisions.back(), calls, clock};
  const std::string text = state_of(service, decisions, clock) + ". " + why(subject) + ".";
  const std::string what_next = next(subject);
  return what_next.empty() ? text : text + " " + what_next + ".";
}

}  // namespace bellows::autoscaler::journal
