// The load of one revision over its windows, averaged by the arithmetic of its settings.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "base/on_demand.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/revision_settings.hpp"
#include "metrics/knative/collector.hpp"
#include "metrics/pod_points.hpp"
#include "metrics/revision_windows.hpp"
#include "metrics/scrape.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

/// The arithmetic depends on the settings:
///   profile knative                Knative's own sums, to the last bit; fed once a second with the
///                                  last reports (metrics/scrape.hpp). Not a normalized weighted
///                                  mean, which Knative does not have
///   profile seed                   the seed's points; every replica with a point counts
///   otherwise                      metrics/revision_windows.hpp: Knative's mean of requests in
///                                  flight (its rule 10)
/// Owner: one decider. Pure. `now` never goes back.
class LoadWindows {
 public:
  /// A source without a report for `dead_after` counts as gone.
  LoadWindows(const config::RevisionSettings& settings, Duration dead_after);

  /// Applies other settings. Changed windows and measures keep their history, but Knative's windows
  /// keep nothing after a silence longer than they were; another arithmetic starts with the next
  /// report.
  void follow(const config::RevisionSettings& settings, TimePoint now);

  /// Records one stat of this revision; one that is not kRecorded changes nothing.
  metrics::RecordResult record(const metrics::Stat& stat, TimePoint now);

  /// The same for a replay: `amounts` are what Knative and the seed add, in this order, in the
  /// second of `now`. They may be fractional or negative where a stat is not: the load of a replica
  /// minus what came through an activator.
  using Amounts = metrics::Scrape::Amounts;
  metrics::RecordResult record(const metrics::Stat& stat, const Amounts& amounts, TimePoint now);

  /// Returns the load, the time since the last request, and the replicas that report, as observed
  /// and in_window. The rest is not seen here.
  Observation view(TimePoint now);

  /// Returns the reports by source.
  const metrics::RevisionWindows& sources() const { return sources_; }

 private:
  void choose_arithmetic();
  bool is_as_knative() const;
  void scrape(TimePoint now);
  void add_point(const metrics::Stat& stat, const Amounts& amounts, TimePoint now);
  void read_collector(Observation& seen, TimePoint now);
  void read_points(Observation& seen, TimePoint now);

  /// The settings about averaging.
  struct AveragingConfig {
    Duration stable;
    Duration panic;
    metrics::Measure measure;
    bool uses_collector;
    bool uses_points;
  };
  static AveragingConfig averaging_config(const config::RevisionSettings& settings);

  AveragingConfig config_;
  metrics::RevisionWindows sources_;
  /// Knative's arithmetic, fed once a second.
  struct Scraped {
    metrics::knative::Collector collector;
    metrics::Scrape scrape{};
  };
  // Only the settings of few revisions ask for them.
  OnDemand<Scraped> scraped_;
  OnDemand<metrics::PodPoints> points_;
};

}  // namespace bellows::autoscaler
