// The seconds of one source of load. The rules are at the top of revision_windows.hpp.
#pragma once

#include <cstdint>

#include "base/check.hpp"
#include "base/units.hpp"
#include "metrics/second_ring.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::metrics {

/// Load as a whole number, so that sums are exact and independent of their order: 2^-20 requests in
/// flight (about 1e-6). 1e9 in flight over an hour still fit in 63 bits.
using LoadUnits = std::int64_t;
inline constexpr LoadUnits kLoadUnitsPerRequest = 1 << 20;

inline LoadUnits to_load_units(Concurrency load) {
  CHECK(load >= 0 && load <= kMaxConcurrency, "a stat's load was checked where it came in");
  return static_cast<LoadUnits>(load * kLoadUnitsPerRequest + 0.5);  // rounds: it is not negative
}

/// The numbers of a report, all three in load units.
struct PodAmounts {
  LoadUnits load = 0;  ///< requests in flight, the mean of the second
  LoadUnits peak = 0;  ///< the maximum in flight within it
  LoadUnits rate = 0;  ///< requests that arrived

  bool operator==(const PodAmounts&) const = default;
};

/// One source's reports about one second, or the sum over the seconds of a window.
struct PodSeconds {
  PodAmounts amounts;
  std::int32_t reports = 0;  ///< number of reports; two may end within one second of this time line
  std::int32_t lived = 0;    ///< seconds that were reported or lie between two reports

  PodSeconds& operator+=(const PodSeconds& other) {
    amounts.load += other.amounts.load;
    amounts.peak += other.amounts.peak;
    amounts.rate += other.amounts.rate;
    reports += other.reports;
    lived += other.lived;
    return *this;
  }
  PodSeconds& operator-=(const PodSeconds& other) {
    amounts.load -= other.amounts.load;
    amounts.peak -= other.amounts.peak;
    amounts.rate -= other.amounts.rate;
    reports -= other.reports;
    lived -= other.lived;
    return *this;
  }
  bool operator==(const PodSeconds&) const = default;
};

/// The weighted form of PodSeconds.
struct WeightedPodSeconds {
  double load = 0;
  double rate = 0;
  double reports = 0;
  double lived = 0;

  WeightedPodSeconds& operator+=(const WeightedPodSeconds& other) {
    load += other.load;
    rate += other.rate;
    reports += other.reports;
    lived += other.lived;
    return *this;
  }
  WeightedPodSeconds& operator-=(const WeightedPodSeconds& other) {
    load -= other.load;
    rate -= other.rate;
    reports -= other.reports;
    lived -= other.lived;
    return *this;
  }
  WeightedPodSeconds& operator*=(double weight) {
    load *= weight;
    rate *= weight;
    reports *= weight;
    lived *= weight;
    return *this;
  }
};

inline WeightedPodSeconds operator*(const PodSeconds& seconds, double weight) {
  return {static_cast<double>(seconds.amounts.load) * weight,
          static_cast<double>(seconds.amounts.rate) * weight, seconds.reports * weight,
          seconds.lived * weight};
}

/// Seconds first..last; none if first > last.
struct SecondRange {
  Second first = 0;
  Second last = -1;
};

/// The ring of one source. It allocates only when made or resized. Owner: RevisionWindows.
class PodWindow {
 public:
  /// Reports at most `joined` seconds apart belong to one life.
  PodWindow(WindowLengths lengths, Second joined);

  void advance(Second head) { ring_.advance(head); }

  /// Records one report; `second` lies within the stable window at the head. Returns the seconds
  /// that become part of a life by it.
  SecondRange record(Second second, const PodAmounts& amounts);

  const PodSeconds& sum(Window window) const { return ring_.sum(window); }

  /// Does what SecondRing::weigh() does.
  void weigh(bool weighs) { ring_.weigh(weighs); }
  const WeightedPodSeconds& weighted(Window window) const { return ring_.weighted(window); }

  /// Returns the newest second with a report; a second before all time if there is none.
  Second newest() const { return newest_; }
  /// Returns true if the stable window holds no report of it.
  bool is_empty() const { return !ring_.holds(newest_); }

  void resize(WindowLengths lengths) { ring_.resize(lengths); }

 private:
  bool reported(Second second) const { return ring_.holds(second) && ring_.at(second).reports > 0; }
  SecondRange life_around(Second second) const;

  SecondRing<PodSeconds> ring_;
  Second joined_;
  Second newest_ = std::numeric_limits<Second>::min() / 2;
};

}  // namespace bellows::metrics
