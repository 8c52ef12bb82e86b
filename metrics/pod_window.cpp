#include "metrics/pod_window.hpp"

#include <algorithm>

namespace bellows::metrics {

namespace {

// Maximum of one second, however many reports fall into it, so that an hour of seconds fits.
constexpr LoadUnits kMaxLoadOfSecond =
    static_cast<LoadUnits>(kMaxConcurrency * kLoadUnitsPerRequest);

/// Returns `added`, or as much of it as still fits after `before`.
LoadUnits fitting(LoadUnits added, LoadUnits before) {
  return std::min(added, kMaxLoadOfSecond - before);
}

}  // namespace

PodWindow::PodWindow(WindowLengths lengths, Second joined) : ring_(lengths), joined_(joined) {}

SecondRange PodWindow::record(Second second, const PodAmounts& amounts) {
  const PodSeconds& before = ring_.at(second);
  const bool was_lived = before.lived != 0;
  SecondRange fresh;
  if (!was_lived) {
    const bool goes_on = second > newest_ && reported(second - 1);  // nearly always
    fresh = goes_on ? SecondRange{second, second} : life_around(second);
  }
  ring_.add(second, {{fitting(amounts.load, before.amounts.load),
                      fitting(amounts.peak, before.amounts.peak),
                      fitting(amounts.rate, before.amounts.rate)},
                     1,
                     was_lived ? 0 : 1});
  for (Second s = fresh.first; s <= fresh.last; ++s) {
    if (s != second) ring_.add(s, {{}, 0, 1});
  }
  newest_ = std::max(newest_, second);
  return fresh;
}

/// Returns `second` and the seconds without reports on both sides of it, up to the nearest reports
/// within joined_.
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
