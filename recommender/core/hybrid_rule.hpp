// The rule of the default policy for one resource of one container: a percentile of history as
// floor, recent maxima above it, scale-up in one step, few scale-downs. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "config/recommender_settings.hpp"
#include "recommender/core/histogram.hpp"
#include "recommender/core/recommendation.hpp"

namespace bellows::recommender {

/// Loads repeat each day or each week. What did not within a week is not expected again.
inline constexpr Duration kWeek = std::chrono::weeks(1);

/// The settings of one resource.
struct HybridResourceSettings {
  double percentile;
  double threshold;
  double up_factor;
  Duration window;
};
HybridResourceSettings resource_settings(const config::HybridSettings& settings, Resource resource);

/// The highest usage in the last three minutes with a recommendation; 0: none.
struct UsageGrowth {
  WallTime at = WallTime::min();
  double before = 0;
  double last = 0;
  double now = 0;

  /// Records the usage at `at`, at most once a minute.
  void update(std::optional<double> usage, WallTime at);
  bool is_growing() const;
  /// Returns the usage two minutes later if it keeps growing as in the last minute.
  double extrapolated() const;
};

/// A target that was raised after an OOM kill, and that is a minimum for some time.
struct TargetHold {
  double used = 0;    ///< highest usage since
  double amount = 0;  ///< the raised target
  WallTime at = WallTime::min();
  WallTime until = WallTime::min();
  double killed = 0;                  ///< size at the kill
  WallTime needed = WallTime::min();  ///< last usage above that size
  Duration length{};                  ///< length of the hold after that

  /// Returns the minimum at `now`: after a whole window at most the usage since, with margin.
  double amount_at(WallTime now, Duration window, double margin_fraction) const;
};

/// The part that a scale-down removed. A load that returns within a week gets it back in one step.
struct ReleasedTarget {
  double amount = 0;  ///< at most what a scale-up would give for the usage
  WallTime at = WallTime::min();
  double used = 0;                      ///< highest usage since the last rise of the target
  WallTime returned = WallTime::min();  ///< when it was last given back

  /// Records that the target falls from `target`. Of several scale-downs within a day the highest
  /// counts.
  void remember(double target, double up_factor, WallTime now);
  /// Returns nullopt if it is too old.
  std::optional<double> amount_at(WallTime now) const;
  /// Returns a usage without queued work. A load that returns uses more for a minute than before,
  /// because it was throttled, and then as much as before.
  double without_waiting_work(double usage, double up_factor, WallTime now) const;
};

/// Input of the rule, in millicores or bytes.
struct HybridInput {
  Resource resource = Resource::kCpu;
  double request = 0;            ///< highest of the replicas; 0: none
  std::optional<double> target;  ///< last recommendation
  double minimum = 0;            ///< minimum of a recommendation

  std::optional<double> usage = {};         ///< current maximum of the replicas; nullopt: unknown
  std::optional<double> steady_usage = {};  ///< of replicas past their start-up
  UsageGrowth growth = {};

  const Histogram* history = nullptr;  ///< nullptr: none
  bool was_never_killed = false;  ///< memory: all that is known of it was reached without a kill
  std::optional<double> recent_maximum =
      {};  ///< within the window, of replicas past their start-up
  std::optional<double> startup_maximum = {};  ///< within a week, of starting replicas
  bool is_starting = false;                    ///< a replica is starting
  std::optional<double> held = {};             ///< minimum of the target
  TargetHold hold = {};                        ///< source of `held`

  /// CPU before the last scale-down, as far as it was used; nullopt: long ago, or memory.
  std::optional<double> released = {};

  bool is_observed = false;      ///< for long enough to scale down
  std::int32_t scale_downs = 0;  ///< within 24 h

  /// Returns the current size of the container.
  double current() const { return target.value_or(request); }
};

/// The decision for one resource, and its reason.
struct HybridDecision {
  double amount = 0;
  std::int64_t target = 0;  ///< `amount` in whole units
  Rule rule = Rule::kMaximum;
  bool is_return = false;  ///< gives back what a scale-down removed
  Chain chain;
};

/// Returns nullopt if nothing is known, so that there is no recommendation.
std::optional<HybridDecision> hybrid_rule(const HybridInput& input,
                                          const config::HybridSettings& settings);

}  // namespace bellows::recommender
