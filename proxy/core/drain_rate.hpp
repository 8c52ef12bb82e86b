// How fast slots became free lately, and with it how long a refused caller had better wait. Pure.
#pragma once

#include <array>
#include <cstdint>

#include "base/time.hpp"

namespace bellows::proxy {

/// Counts over the last ten seconds in which somebody waited: without a line slots become free as
/// fast as requests come, which says nothing about how fast they could.
class DrainRate {
 public:
  /// To be called before somebody joins the line and before a slot that became free is given on. If
  /// `somebody_waits`, somebody did so ever since the call before.
  void pass(bool somebody_waits, TimePoint now);

  /// A slot became free while somebody waited. Counts with the next pass(), as of no time if nobody
  /// waits any more: how long the line lasted is not known.
  void freed() { ++freed_; }

  /// Slots per second, or within the first second that many. Somebody waits.
  double per_second(TimePoint now) const;

  /// Whole seconds until `waiting` requests will have gone at that rate: 1 to 60. No slot ever
  /// became free: 1 without a line, else 60.
  int retry_after_seconds(std::int64_t waiting, TimePoint now) const;

 private:
  static constexpr std::int64_t kSeconds = 10;

  TimePoint latest_{};      // of the calls of pass()
  Duration waited_{};       // time with a line until then, in sum: the clock of what follows
  std::int64_t freed_ = 0;  // since then
  std::array<std::int64_t, kSeconds> counts_{};  // by second of that clock, as a ring
  std::int64_t newest_ = 0;                      // second of the latest count
};

}  // namespace bellows::proxy
