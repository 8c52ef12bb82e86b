#include "autoscaler/journal/unknown_words.hpp"

#include "autoscaler/core/number_text.hpp"

namespace bellows::autoscaler::journal {

std::string unknown_words(const Decision& decision) {
  const Observation& seen = decision.seen;
  const std::string stable = known_text(seen.stable.covered_seconds, decision.spec.stable_window);
  switch (what_is_unknown(decision)) {
    case Unknown::kPodCount:
      return "The replicas could not be counted";
    case Unknown::kMetrics:
      return "The load could not be had";
    case Unknown::kSilent:
      return replicas_text(seen.silent) + " of " + std::to_string(seen.ready) +
             " ready ones did not report, so their load is not known";
    case Unknown::kUnheard:
      return "None has served yet, so the load is not known";
    case Unknown::kBeginning:
      return "The autoscaler began " +
             whole_seconds_text(decision.at - decision.after.fresh->since) +
             " ago and knows only " + stable;
    case Unknown::kPanicWindow:
      return "Only " + known_text(seen.panic.covered_seconds, decision.spec.panic_window) +
             " are known";
    case Unknown::kStableWindow:
      return "Only " + stable + " are known";
  }
  return {};
}

std::string what_stays_words(const Decision& decision) {
  switch (what_is_unknown(decision)) {
    case Unknown::kPodCount:
    case Unknown::kMetrics:
      return {};
    case Unknown::kSilent:
      return " and they stay";
    case Unknown::kUnheard:
      return " and what starts stays";
    default:
      return ", so nothing is taken away";
  }
}

}  // namespace bellows::autoscaler::journal
