// Estimates from load reports how many requests other callers have in flight at a replica.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::activator {

/// Time after which a reported load counts half, because the requests may have ended and only the
/// next response reports again.
inline constexpr Duration kReportHalfLife = std::chrono::milliseconds(200);
/// A replica that has rejected a request gets no other one for this time.
inline constexpr Duration kFullTime = std::chrono::milliseconds(10);
/// Responses overtake each other on their connections by less than this time.
inline constexpr Duration kMaxReordering = std::chrono::milliseconds(20);

/// Reports count all requests at the replica, so this activator's own requests are subtracted.
/// Owner: the PodTracker of the replica. Pure.
class OtherLoad {
 public:
  /// Call it before each change of this activator's own requests in flight, which are `own` until
  /// now. It keeps the peaks of the current and the previous interval. An interval that began long
  /// ago had the current level except at its start.
  void note_own(std::int32_t own, TimePoint now) {
    const Duration elapsed = now - interval_start_;
    if (elapsed < kMaxReordering) return;
    previous_own_peak_ = elapsed < 2 * kMaxReordering ? own_peak_ : own;
    own_peak_ = own;
    interval_start_ = now;
  }
  /// Call it after this activator's own requests in flight have increased to `own`.
  void own_increased(std::int32_t own) { own_peak_ = std::max(own_peak_, own); }

  /// Records that the replica runs or holds `total` requests of all callers, of which `own` are
  /// from here. An overtaken response reports requests that have ended here since. Therefore the
  /// peak of our own requests is subtracted, so that they do not count as other callers'.
  void record_report(std::int32_t total, std::int32_t own, TimePoint now) {
    note_own(own, now);
    reported_ = std::max(total - std::max(own_peak_, previous_own_peak_), 0);
    reported_at_ = now;
    full_until_ = now;
  }

  /// Records that the replica had no free slot for one of our requests: `others` are of other
  /// callers. The first half of them counts only for kFullTime.
  void record_full(std::int32_t others, TimePoint now) {
    reported_ = std::max(others, 0);
    reported_at_ = now - (kReportHalfLife - kFullTime);
    full_until_ = now + kFullTime;
  }
  /// Returns true for kFullTime after the replica had no free slot for one of our requests.
  bool is_full(TimePoint now) const { return now < full_until_; }

  /// Returns the number up to which a report has no effect if it arrives within kMaxReordering of
  /// the last increase of our own requests; -1: every report has one.
  std::int32_t expected() const { return reported_ == 0 ? own_peak_ : -1; }

  std::int32_t at(TimePoint now) const {
    if (reported_ == 0) return 0;
    constexpr std::int64_t kBits = 31;
    const std::int64_t halvings = std::max<std::int64_t>((now - reported_at_) / kReportHalfLife, 0);
    return halvings >= kBits ? 0 : reported_ >> halvings;
  }

  /// Returns when at() decreases; nullopt if it is zero.
  std::optional<TimePoint> decays_at(TimePoint now) const {
    if (at(now) == 0) return std::nullopt;
    return reported_at_ + ((now - reported_at_) / kReportHalfLife + 1) * kReportHalfLife;
  }

  /// Discards the last report.
  void clear() { reported_ = 0; }

 private:
  std::int32_t reported_ = 0;  // of other callers
  TimePoint reported_at_{};
  TimePoint full_until_{};
  std::int32_t own_peak_ = 0;
  std::int32_t previous_own_peak_ = 0;
  TimePoint interval_start_{};
};

}  // namespace bellows::activator
