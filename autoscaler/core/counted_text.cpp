#include "autoscaler/core/counted_text.hpp"

#include "autoscaler/core/number_text.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler {
namespace {

std::string counted(PodCount count, const std::string& how) {
  if (count == 0) return "none " + how + ", which counts as one";
  return replicas_text(count) + " " + how;
}

std::string by_pod_count(const Decision& decision) {
  const Observation& seen = decision.seen;
  switch (decision.spec.rules.pod_count) {
    case config::CountedPods::kReady:
      return counted(seen.ready, "ready");
    case config::CountedPods::kObserved:
      return counted(seen.observed, "observed");
    case config::CountedPods::kWindow:
      return counted(seen.in_window, "seen within " + duration_text(decision.spec.stable_window));
  }
  return {};
}

}  // namespace

std::string counted_text(const Decision& decision) {
  const PodCount starting = decision.spec.rules.count_starting ? decision.seen.starting : 0;
  if (starting == 0) return by_pod_count(decision);
  return by_pod_count(decision) + " and " + std::to_string(starting) + " starting";
}

}  // namespace bellows::autoscaler
