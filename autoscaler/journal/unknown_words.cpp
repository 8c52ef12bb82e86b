#include "autoscaler/journal/unknown_words.hpp"

#include "autoscaler/core/number_text.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::journal {

std::string known_part_words(const Decision& decision) {
  return std::to_string(decision.seen.stable.covered_seconds) + "s of the last " +
         duration_text(decision.spec.stable_window);
}

std::string unknown_words(const Decision& decision) {
  const Observation& seen = decision.seen;
  if (seen.problem == Problem::kNoPodCount) return "The replicas could not be counted";
  if (seen.problem == Problem::kNoMetrics) return "The load could not be had";
  if (seen.silent > 0) {
    return replicas_text(seen.silent) + " of " + std::to_string(seen.ready) +
           " ready ones did not report, so their load is not known";
  }
  if (seen.ready == 0 && seen.starting > 0) {
    return "None has served yet, so the load is not known";
  }
  return "Only " + known_part_words(decision) + " are known";
}

}  // namespace bellows::autoscaler::journal
