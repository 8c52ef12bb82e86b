// What polling all sources once a second would find, from what they push.
#pragma once

#include <optional>
#include <unordered_map>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "metrics/second_ring.hpp"

namespace bellows::metrics {

/// Knative polls every pod once a second and adds up the last values; sources that push report at
/// their own times, so two reports of one source may fall into one second and none into the next.
/// This class converts the one into the other: each finished second counts every source once, with
/// its last report. Owner: one decider. Pure. `now` never goes back.
class Scrape {
 public:
  struct Amounts {
    double concurrency = 0;
    double requests = 0;
  };
  struct Sum {
    TimePoint at;  ///< within the second that it is of
    Amounts amounts;
  };

  /// Records a report that ended at `end`. One that is older than the source's newest changes
  /// nothing.
  void record(const PodName& source, const Amounts& amounts, TimePoint end);

  /// Returns the sum of the last finished second, once; nothing if no source reported recently. A
  /// source counts for a second and a half after its last report: longer than the interval of its
  /// reports, and too short to be counted after it left.
  std::optional<Sum> take(TimePoint now);

 private:
  struct Report {
    Amounts amounts;
    TimePoint end;
  };

  std::unordered_map<PodName, Report> reports_;
  std::optional<Second> taken_;  // the second that was summed up last
};

}  // namespace bellows::metrics
