// The load of one revision over its windows, averaged as its rules say.
#pragma once

#include <optional>

#include "autoscaler/core/observation.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/revision_settings.hpp"
#include "metrics/knative/collector.hpp"
#include "metrics/pod_points.hpp"
#include "metrics/revision_windows.hpp"
#include "metrics/scrape.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

/// What the stats say at one instant.
struct LoadView {
  WindowLoad stable;
  WindowLoad panic;
  double newest = 0;       ///< the load of the newest second
  double stable_rate = 0;  ///< requests a second that reached replicas
  double panic_rate = 0;
  PodCount pods = 0;                     ///< replicas that report
  PodCount pods_in_window = 0;           ///< that reported within the stable window
  std::optional<TimePoint> last_load{};  ///< end of the newest second with a request
};

/// Whose arithmetic averages, by setting:
///   missing-seconds zero         Knative's collector: sums of all sources, gaps are zeros; fed
///   once a
///                                second with what all said last (metrics/scrape.hpp)
///   observed-load mean-per-pod   the seed's points, and every replica with one counts
///   else                         metrics/revision_windows.hpp
/// Owner: one decider. Pure. `now` never goes back.
class LoadWindows {
 public:
  /// A source that is silent for `dead_after` counts as gone.
  LoadWindows(const config::RevisionSettings& settings, Duration dead_after);

  /// Other settings from now on. Changed windows and measures keep their history; other arithmetic
  /// begins with what is reported from now on.
  void follow(const config::RevisionSettings& settings);

  /// Books one stat of this revision; what was not kBooked changes nothing.
  metrics::Booking record(const metrics::Stat& stat, TimePoint now);

  /// The same for a replay that tells what was added when: `amounts` are what Knative and the seed
  /// would add, in this order, in the second of `now`. They may have fractions or be negative where
  /// a stat's numbers do not: what a replica served less what came by an activator.
  using Amounts = metrics::Scrape::Amounts;
  metrics::Booking record(const metrics::Stat& stat, const Amounts& amounts, TimePoint now);

  LoadView view(TimePoint now);

  /// Who reported what.
  const metrics::RevisionWindows& sources() const { return sources_; }

 private:
  void choose_arithmetic();
  void scrape(TimePoint now);
  void add_point(const metrics::Stat& stat, const Amounts& amounts, TimePoint now);
  void read_collector(LoadView& view, TimePoint now);
  void read_points(LoadView& view, TimePoint now);

  /// What the settings say about averaging.
  struct Way {
    Duration stable;
    Duration panic;
    metrics::Measure measure;
    bool wants_collector;
    bool wants_points;
  };
  static Way way_of(const config::RevisionSettings& settings);

  Way way_;
  metrics::RevisionWindows sources_;
  std::optional<metrics::knative::Collector> collector_;
  metrics::Scrape scrape_;  // for the collector
  std::optional<metrics::PodPoints> points_;
};

}  // namespace bellows::autoscaler
