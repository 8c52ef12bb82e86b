// Reports of replicas as points in time, as in the autoscaler of 2018.
#pragma once

#include <deque>
#include <unordered_map>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "metrics/second_ring.hpp"

namespace bellows::metrics {

/// Every report is a point with its instant. The mean is over all points of all replicas within
/// (now - window, now], so it is the load of one replica; the counted replicas are those with a
/// point there (knative.md 1.6). Reading costs O(points), so it suits the profile of the seed and
/// not large services. Owner: one decider. Pure.
///
/// Example, window 60 s: replica a reported 8 at 1 s and 4 at 2 s, replica b 6 at 2 s. At 2 s: mean
/// 6, two replicas. At 61 s: mean 5, two replicas. At 62 s: nothing.
class PodPoints {
 public:
  PodPoints(Duration stable, Duration panic) : stable_(stable), panic_(panic) {}

  /// Records a report; a late one is inserted at its time.
  void record(TimePoint at, const PodName& pod, double value);

  struct View {
    double mean = 0;  ///< 0 while there is no point
    PodCount pods = 0;
    bool is_empty = true;
  };
  /// Returns the view; `now` never decreases.
  View view(Window window, TimePoint now);

  /// Sets other lengths; points that left the previous stable window do not return.
  void resize(Duration stable, Duration panic);

 private:
  struct Point {
    TimePoint at;
    double value;
  };

  void drop_before(TimePoint now);
  Duration length(Window window) const { return window == Window::kStable ? stable_ : panic_; }

  Duration stable_;
  Duration panic_;
  std::deque<Point> points_;                       // by time
  std::unordered_map<PodName, TimePoint> newest_;  // newest point of each replica
};

}  // namespace bellows::metrics
