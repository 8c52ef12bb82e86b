#include "metrics/pod_window.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::metrics {

namespace {

// The most that one second may hold, however many reports fall into it: an hour of it fits.
constexpr LoadUnits kMaxLoadOfSecond =
    static_cast<LoadUnits>(kMaxConcurrency * kLoadUnitsPerRequest);

}  // namespace

LoadUnits to_load_units(Concurrency load) {
  CHECK(load >= 0 && load <= kMaxConcurrency, "a stat's load was checked where it came in");
  return std::llround(load * kLoadUnitsPerRequest);
}

PodWindow::PodWindow(WindowLengths lengths, Second joined) : ring_(lengths), joined_(joined) {}

SecondRange PodWindow::book(Second second, LoadUnits load) {
  const PodSeconds before = ring_.at(second);
  const SecondRange fresh = before.lived != 0 ? SecondRange{} : life_around(second);
  ring_.add(second, {std::min(load, kMaxLoadOfSecond - before.load), 1, 0});
  for (Second s = fresh.first; s <= fresh.last; ++s) ring_.add(s, {0, 0, 1});
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
