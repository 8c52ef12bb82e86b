#include "metrics/pod_window.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::metrics {

namespace {

// The most that one second may hold, however many reports fall into it: an hour of it fits.
constexpr LoadUnits kMaxLoadOfSecond =
    static_cast<LoadUnits>(kMaxConcurrency * kLoadUnitsPerRequest);

/// `added`, or what there is still room for beside `before`.
LoadUnits fitting(LoadUnits added, LoadUnits before) {
  return std::min(added, kMaxLoadOfSecond - before);
}

}  // namespace

LoadUnits to_load_units(Concurrency load) {
  CHECK(load >= 0 && load <= kMaxConcurrency, "a stat's load was checked where it came in");
  return static_cast<LoadUnits>(load * kLoadUnitsPerRequest + 0.5);  // rounds: it is not negative
}

PodWindow::PodWindow(WindowLengths lengths, Second joined) : ring_(lengths), joined_(joined) {}

SecondRange PodWindow::book(Second second, const PodAmounts& amounts) {
  const PodSeconds before = ring_.at(second);
  const SecondRange fresh = before.lived != 0 ? SecondRange{} : life_around(second);
  const PodAmounts added{fitting(amounts.load, before.amounts.load),
                         fitting(amounts.peak, before.amounts.peak),
                         fitting(amounts.rate, before.amounts.rate)};
  ring_.add(second, {added, 1, before.lived == 0 ? 1 : 0});
  for (Second s = fresh.first; s <= fresh.last; ++s) {
    if (s != second) ring_.add(s, {{}, 0, 1});
  }
  newest_ = std::max(newest_, second);
  return fresh;
}

bool PodWindow::reported(Second second) const {
  return ring_.holds(second) && ring_.at(second).reports > 0;
}

/// `second` and the silence on both sides of it, up to the nearest reports if they are near enough.
SecondRange PodWindow::life_around(Second second) const {
  SecondRange life{second, second};
  for (Second apart = 1; apart <= joined_; ++apart) {
    if (!reported(second - apart)) continue;
    life.first = second - apart + 1;
    break;
  }
  for (Second apart = 1; apart <= joined_ && second + apart <= newest_; ++apart) {
    if (!reported(second + apart)) continue;
    life.last = second + apart - 1;
    break;
  }
  return life;
}

}  // namespace bellows::metrics
