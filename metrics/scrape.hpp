// Converts pushed reports to the result of polling all sources once a second.
#pragma once

#include <optional>
#include <unordered_map>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "metrics/second_ring.hpp"

namespace bellows::metrics {

/// Knative polls every pod once a second and adds up the last values. Sources that push report at
/// their own times, so two reports of one source may fall into one second and none into the next.
/// This class converts such reports: each finished second counts every source once, with its last
/// report. The caller takes what is finished before it records. `now` never decreases. Owner: one
/// decider. Pure.
class Scrape {
 public:
  struct Amounts {
    double concurrency = 0;
    double requests = 0;
  };
  struct Sum {
    TimePoint at;  ///< within its second
    Amounts amounts;
  };

  /// Records a report that ended at `end`. A report older than the source's newest one has no
  /// effect.
  void record(const PodName& source, const Amounts& amounts, TimePoint end);

  /// Returns the sum of the oldest finished second that was not returned before, so call it until
  /// it returns nullopt. Seconds in which no source counts are left out. A source counts for a
  /// second and a half after its last report: longer than the interval of its reports, and too
  /// short to be counted after it left.
  std::optional<Sum> take(TimePoint now);

 private:
  struct Report {
    Amounts amounts;
    TimePoint end;
  };

  std::unordered_map<PodName, Report> reports_;
  std::optional<Second> taken_;  // all seconds up to it were summed or left out
};

}  // namespace bellows::metrics
