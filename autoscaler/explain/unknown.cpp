#include "autoscaler/explain/unknown.hpp"

#include "autoscaler/explain/text.hpp"

namespace bellows::autoscaler::explain {

std::string unknown_sentence(const Decision& decision) {
  const Observation& seen = decision.seen;
  const std::string stable = known_text(seen.stable.covered_seconds, decision.spec.stable_window);
  switch (what_is_unknown(decision)) {
    case Unknown::kPodCount:
      return "The replicas could not be counted";
    case Unknown::kMetrics:
      return "The load could not be measured";
    case Unknown::kNotReporting:
      return replicas_text(seen.not_reporting) + " of " + std::to_string(seen.ready) +
             " ready ones did not report, so their load is unknown";
    case Unknown::kNoReportYet:
      return "No replica has reported yet, so the load is unknown";
    case Unknown::kBeginning:
      return "The autoscaler started " +
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

std::string unknown_brief(const Decision& decision) {
  std::string text = unknown_sentence(decision);
  if (text.front() >= 'A' && text.front() <= 'Z') text.front() += 'a' - 'A';
  return text;
}

std::string unknown_consequence(const Decision& decision) {
  switch (what_is_unknown(decision)) {
    case Unknown::kPodCount:
    case Unknown::kMetrics:
      return {};
    case Unknown::kNotReporting:
      return " and they stay";
    case Unknown::kNoReportYet:
      return " and the starting replicas stay";
    default:
      return ", so nothing scales down";
  }
}

}  // namespace bellows::autoscaler::explain
