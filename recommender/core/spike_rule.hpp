// The spike rule for one resource, and the crash rule for both. Source: the proposal "Virtual Pod
// Autoscaler Recommender Rewrite"; how its open questions are settled: docs/recommender.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "config/recommender_settings.hpp"
#include "recommender/core/recommendation.hpp"

namespace bellows::json {
class Writer;
class Object;
}  // namespace bellows::json

namespace bellows::recommender {

/// What the rule looks at. Millicores or bytes.
struct SpikeInput {
  std::optional<double> usage;  ///< the highest of the replicas; nothing: unknown
  double request = 0;           ///< 0: there are no thresholds
  std::optional<double> maximum;
  bool is_crash = false;  ///< the crash rule fires
  bool may_fall = true;   ///< watched for a whole window, and not in a crash loop
};

struct SpikeVerdict {
  Rule rule = Rule::kHold;
  std::optional<double> target;  ///< nothing: no scale, do not publish
  Chain chain;
};

/// Usage strictly above threshold-scale-up of the request: scale-up-factor times the usage. Usage
/// and maximum strictly below threshold-scale-down of it: scale-down-safety-factor times the
/// greater. In between: nothing. A crash: twice the greater of usage and request.
SpikeVerdict spike_rule(const SpikeInput& input, const config::SpikeSettings& settings);

/// When crashes double both resources: at most once for each answer that was applied.
class CrashRule {
 public:
  void crashed() { ++crashes_; }
  /// The request changed: what was answered last is in effect.
  void applied() { is_waiting_ = false; }

  /// A crash loop, or threshold-num-crashes crashes since it fired last. Firing forgets them, and
  /// then waits until the request changed or crash-back-off passed.
  bool fires(bool is_looping, WallTime now, const config::SpikeSettings& settings);
  /// Fired, and its answer is neither applied nor given up.
  bool is_waiting(WallTime now, const config::SpikeSettings& settings) const {
    return is_waiting_ && now - fired_ < settings.crash_back_off;
  }

  void save(json::Writer& line) const;
  Result<void> restore(const json::Object& saved);

 private:
  std::int64_t crashes_ = 0;
  bool is_waiting_ = false;
  WallTime fired_ = WallTime::min();
};

/// `amount` in whole units, cut as VPA does, but never below `usage`.
std::int64_t whole_target(double amount, std::optional<double> usage);

}  // namespace bellows::recommender
