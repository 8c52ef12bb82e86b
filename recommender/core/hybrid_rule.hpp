// The rule of the default policy for one resource of one container: a percentile of history as
// floor, recent maxima above it, scale-up in one step, few scale-downs. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "config/recommender_settings.hpp"
#include "recommender/core/histogram.hpp"
#include "recommender/core/recommendation.hpp"

namespace bellows::recommender {

inline constexpr Duration kDayLength = std::chrono::hours(24);

/// The settings of one resource.
struct HybridResourceSettings {
  double percentile;
  double threshold;
  double up_factor;
  Duration window;
};
HybridResourceSettings resource_settings(const config::HybridSettings& settings, Resource resource);

/// The highest usage of the last three minutes in which there was a recommendation; 0: none.
struct UsageGrowth {
  WallTime at = WallTime::min();
  double before = 0;
  double last = 0;
  double now = 0;
  bool has_jumped = false;  ///< it once grew by more than a quarter within a minute

  /// Records the usage of `at`, at most once a minute.
  void update(std::optional<double> usage, WallTime at);
  bool is_growing() const;
  /// What the usage will be two minutes later if it keeps growing as in the last one.
  double extrapolated() const;
};

/// A target that was raised after a kill or crashes: it does not fall below this for some time.
struct TargetHold {
  double used = 0;    ///< the highest usage since
  double amount = 0;  ///< what the target was raised to
  WallTime at = WallTime::min();
  WallTime until = WallTime::min();
  Rule rule = Rule::kOom;             ///< kOom or kCrash
  double killed = 0;                  ///< kOom: the size that was killed
  WallTime needed = WallTime::min();  ///< kOom: when more than that was used last
  Duration length{};                  ///< kOom: how long the target is held after that

  /// What is held at `now`: after a whole window no more than what was used since, with margin.
  double amount_at(WallTime now, Duration window, double margin_fraction) const;
};

/// What a scale-down took away: a load that comes back within two days gets it back in one step.
struct ReleasedTarget {
  double amount = 0;  ///< no more than a scale-up would give for what was used
  WallTime at = WallTime::min();
  double used = 0;                      ///< the highest usage since the last rise of the target
  WallTime returned = WallTime::min();  ///< when it was given back last

  /// The target falls from `target`. Of several scale-downs within a day the highest counts.
  void remember(double target, double up_factor, WallTime now);
  /// Nothing if it is too long ago.
  std::optional<double> amount_at(WallTime now) const;
  /// A usage without the work that waited for the CPU: a load that is back uses more than it had
  /// for a minute, because it was throttled, and then what it used before.
  double without_waiting_work(double usage, double up_factor, WallTime now) const;
};

/// What the rule decides on. Millicores or bytes.
struct HybridInput {
  Resource resource = Resource::kCpu;
  double request = 0;            ///< the highest of the replicas; 0: none
  std::optional<double> target;  ///< the last recommendation
  double minimum = 0;            ///< the least that may be recommended

  std::optional<double> usage = {};         ///< the highest of the replicas, now; nothing: unknown
  std::optional<double> steady_usage = {};  ///< of replicas past their start-up
  UsageGrowth growth = {};

  const Histogram* history = nullptr;  ///< nullptr: too short for a floor
  bool can_jump = true;  ///< the usage jumped, was killed for, or was not watched from the start
  std::optional<double> recent_maximum =
      {};  ///< within the window, of replicas past their start-up
  std::optional<double> startup_maximum = {};  ///< within a week, of replicas that were starting
  bool is_starting = false;                    ///< a replica starts now
  std::optional<double> held = {};             ///< the target does not fall below this
  TargetHold hold = {};                        ///< where `held` comes from

  /// CPU before the last scale-down, as far as it was used; nothing: long ago, or memory.
  std::optional<double> released = {};
  bool rose_just_now = false;  ///< within the last three minutes
  bool joins = false;          ///< rises with the other resource, which has to

  /// CPU before starts raised it; nothing: they did not, or no replica outlived its start.
  std::optional<double> before_start = {};

  bool is_crash = false;            ///< crashes double the target
  bool is_doubling_futile = false;  ///< the crashes went on with every doubling in effect
  bool is_observed = false;         ///< for long enough to scale down
  std::int32_t scale_downs = 0;     ///< within 24 h

  /// What the container has.
  double current() const { return target.value_or(request); }
};

/// What one resource should get, and why.
struct HybridDecision {
  double amount = 0;
  std::int64_t target = 0;  ///< `amount` in whole units
  Rule rule = Rule::kMaximum;
  bool is_return = false;  ///< gives back what a scale-down took away
  Chain chain;
  double crash_amount = 0;  ///< if it answers crashes: what the target must not fall below
};

/// Nothing: nothing is known, so there is nothing to recommend.
std::optional<HybridDecision> hybrid_rule(const HybridInput& input,
                                          const config::HybridSettings& settings);

}  // namespace bellows::recommender
