// Whether more replicas help. If not, the bottleneck is elsewhere (a shared database), and a lower
// target would make it worse: more replicas, more load on it, longer times, a lower target again.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.hpp"

namespace bellows::autoscaler::slow {

/// One evaluation's means.
struct Effect {
  TimePoint at;
  double replicas = 0;
  double throughput = 0;  ///< requests a second of all replicas
  double time = 0;        ///< of a request, seconds: geometric mean
  double target = 0;
  bool operator==(const Effect&) const = default;
};

/// Part of the state of a slow brain. Keeps the last half hour, at most 60 effects.
class EffectGuard {
 public:
  /// `idle_time`: the time of a request that is alone, seconds.
  void add(const Effect& effect, double idle_time);

  /// Replicas went up by 30 % within the half hour, throughput by less than 10 %, and requests that
  /// take over one and a half times their idle time did not get faster. Ends when they are fast
  /// again or when a later rise helped.
  bool is_ineffective() const { return is_ineffective_; }
  /// The target before that rise.
  double target_before() const { return target_before_; }
  /// The rise: throughput and replicas before and after, for the condition's sentence.
  const Effect& before() const { return before_; }

  /// What a state file needs; restored() takes the same.
  const std::vector<Effect>& effects() const { return effects_; }
  static EffectGuard restored(std::vector<Effect> effects, bool is_ineffective,
                              double target_before, const Effect& before);

  bool operator==(const EffectGuard&) const = default;

 private:
  std::vector<Effect> effects_;  // in order of time
  bool is_ineffective_ = false;
  double target_before_ = 0;
  Effect before_;
};

}  // namespace bellows::autoscaler::slow
