// What is remembered for the choice between two sets of rules (rules/small_load.hpp).
#pragma once

#include "base/time.hpp"

namespace bellows::autoscaler {

/// A new revision begins with Knative's rules.
struct RuleChoice {
  float typical_load = 0;     ///< requests in flight; mean over the last hour with requests
  float known_seconds = 0;    ///< with requests, that the mean was learned from; at most an hour
  TimePoint seen_at;          ///< of the last load that was added
  TimePoint since;            ///< of the last change, or the begin
  bool is_as_knative = true;  ///< false: the rules of the settings

  bool operator==(const RuleChoice&) const = default;
};

inline RuleChoice first_rule_choice(TimePoint now) {
  return {.seen_at = now, .since = now};
}

}  // namespace bellows::autoscaler
