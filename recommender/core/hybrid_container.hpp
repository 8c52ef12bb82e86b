// The state of the default policy for one container.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "recommender/core/hybrid_rule.hpp"
#include "recommender/core/local_maximum.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// One resource of one container. Usage of starting replicas is kept apart from that of steady
/// ones: it raises the target while a start lasts, but not the days after.
struct HybridResource {
  HybridResource(Duration window, Duration startup_window)
      : steady(config::MaximumWindow::kSliding, window),
        startup(config::MaximumWindow::kSliding, startup_window) {}

  /// Records usage. `is_steady`: it is of a replica past its start-up.
  void record_usage(double amount, WallTime at, bool is_steady);
  /// Raises the target after a kill for memory at `killed` to four times that, and at least to
  /// `needed`; to twice that if it `is_at_maximum`, because more cannot be given. A size that was
  /// found before is remembered after the hold, so a recurring job is killed once, and not
  /// repeatedly until its size is found. A kill within a week of the last need shows how often
  /// the job recurs: the target is held until it has recurred, and at least for `oom_hold`.
  void hold_after_oom(std::int64_t needed, Bytes killed, WallTime at, bool is_at_maximum,
                      const config::HybridSettings& settings);
  /// Records a recommendation. Returns true if the target changed.
  bool apply(const HybridDecision& decision, double up_factor, WallTime now);

  /// Begins with the target of an earlier revision, which stays for a window of own samples.
  void begin_at(std::optional<double> prior, WallTime now);
  /// Begins after an earlier revision that was killed for memory at `killed`: its size is held, but
  /// after a window it is limited by the usage.
  void begin_held(double killed, WallTime now, Duration hold_time);

  std::int32_t scale_downs_in_a_day(WallTime now) const;
  void forget_old_scale_downs(WallTime now);

  void save(json::Writer& line) const;
  Result<void> restore(const json::Object& saved);

  // The members that every sample reads and writes are adjacent.
  LocalMaximum steady;    ///< replicas past their start-up
  bool has_news = false;  ///< a sample since the last recommendation
  TargetHold hold;
  ReleasedTarget released;
  LocalMaximum startup;  ///< starting replicas, over a week
  std::optional<double> target;
  WallTime last_rise = WallTime::min();
  std::vector<WallTime> scale_downs;  ///< of the last 24 h, the oldest first
  UsageGrowth growth;

 private:
  void note_need(double amount, WallTime at);
};

struct HybridContainer {
  std::array<HybridResource, 2> resources;  ///< by Resource
  WallTime since = WallTime::min();         ///< when a target last changed

  void save(json::Writer& line) const;
  Result<void> restore(const json::Object& saved);
};

}  // namespace bellows::recommender
