#include "metrics/knative/collector.hpp"

namespace bellows::metrics::knative {

Collector::Collector(Duration stable, Duration panic, Aggregation aggregation)
    : windows_{BucketWindow(stable, aggregation), BucketWindow(panic, aggregation),
               BucketWindow(stable, aggregation), BucketWindow(panic, aggregation)} {}

void Collector::record(TimePoint at, double concurrency, double rps) {
  for (const Window window : {Window::kStable, Window::kPanic}) {
    window_of(Metric::kConcurrency, window).record(at, concurrency);
    window_of(Metric::kRps, window).record(at, rps);
  }
}

void Collector::resize(Duration stable, Duration panic, TimePoint now) {
  for (const Metric metric : {Metric::kConcurrency, Metric::kRps}) {
    window_of(metric, Window::kStable).resize(stable, now);
    window_of(metric, Window::kPanic).resize(panic, now);
  }
}

void Collector::set_aggregation(Aggregation aggregation) {
  for (BucketWindow& window : windows_) window.set_aggregation(aggregation);
}

}  // namespace bellows::metrics::knative
