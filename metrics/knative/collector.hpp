// The four windows that Knative keeps of a revision: concurrency and rps, stable and panic.
#pragma once

#include <array>

#include "base/time.hpp"
#include "metrics/knative/bucket_window.hpp"
#include "metrics/measure.hpp"
#include "metrics/second_ring.hpp"

namespace bellows::metrics::knative {

/// The reports of one revision's pods, added up per second (knative.md 1.2, 1.3;
/// knative/serving 98e5ef90, pkg/autoscaler/metrics/collector.go). Owner: one decider. Pure.
///
/// Feed it with one call per pod and second in the order in which they were reported (doubles are
/// added in that order):
///
///   collector.record(at, stat.concurrency - stat.proxied_concurrency,
///                    stat.requests - stat.proxied_requests);
///
/// Example: stable 6 s, panic 2 s; concurrency 5 6 7 ... 14 in ten seconds. Read in the last one:
/// stable 11.5, panic 13.5.
class Collector {
 public:
  Collector(Duration stable, Duration panic, Aggregation aggregation = Aggregation::kLinear);

  void record(TimePoint at, double concurrency, double rps);

  double average(Metric metric, Window window, TimePoint now) {
    return window_of(metric, window).average(now);
  }
  double stable(Metric metric, TimePoint now) { return average(metric, Window::kStable, now); }
  double panic(Metric metric, TimePoint now) { return average(metric, Window::kPanic, now); }

  /// Returns true if the last record is older than the stable window. With pods to scrape
  /// (target-burst-capacity other than -1) Knative then makes no decision; without, it is a valid
  /// 0.
  bool is_empty(TimePoint now) const { return windows_.front().is_empty(now); }

  /// Sets other lengths; the history is kept as in Knative (BucketRing::resize).
  void resize(Duration stable, Duration panic, TimePoint now);

  /// Sets another aggregation for the stored values; Knative itself cannot change it.
  void set_aggregation(Aggregation aggregation);

 private:
  BucketWindow& window_of(Metric metric, Window window) {
    return windows_[2 * static_cast<std::size_t>(metric) + static_cast<std::size_t>(window)];
  }

  std::array<BucketWindow, 4> windows_;  // concurrency stable, panic, rps stable, panic
};

}  // namespace bellows::metrics::knative
