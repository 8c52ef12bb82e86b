// What a scrape of all sources would find, from what they push.
#pragma once

#include <optional>
#include <unordered_map>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "metrics/second_ring.hpp"

namespace bellows::metrics {

/// Knative asks every pod once a second and adds up what each said last; sources that push report
/// at instants of their own, so that two reports of one may fall into one second of ours and none
/// into the next. This turns the one into the other: each second that is over counts every source
/// once, with what it said last. Owner: one decider. Pure. `now` never goes back.
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

  /// Takes in a report that ended at `end`. An older one than the source's newest changes nothing.
  void hear(const PodName& source, const Amounts& amounts, TimePoint end);

  /// The sum of the last second that is over, once; nothing if nobody reported lately. A source
  /// counts for a second and a half after its last word: longer than between two of its reports,
  /// however late one is, and not long enough to be counted after it left.
  std::optional<Sum> take(TimePoint now);

 private:
  struct Heard {
    Amounts amounts;
    TimePoint end;
  };

  std::unordered_map<PodName, Heard> heard_;
  std::optional<Second> taken_;  // the second that was summed up last
};

}  // namespace bellows::metrics
