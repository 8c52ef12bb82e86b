// How many requests other callers have in flight at a replica, estimated from its load reports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::activator {

/// A reported load counts half after each of these: the requests may have ended, and only the next
/// response reports again.
inline constexpr Duration kReportHalfLife = std::chrono::milliseconds(200);
/// A replica that has refused a request is not asked again for this time.
inline constexpr Duration kFullTime = std::chrono::milliseconds(10);
/// Responses overtake each other on their connections by less than this.
inline constexpr Duration kMaxReordering = std::chrono::milliseconds(20);

/// Owner: the PodTracker of the replica. Reports count all requests at the replica, so this
/// activator's own requests are subtracted. Pure.
class OtherLoad {
 public:
  /// Before each change of this activator's own requests in flight, which are `own` until now.
  /// Keeps the peak of the current interval and of the one before it. An interval that began long
  /// ago had the present level except at its start.
  void note_own(std::int32_t own, TimePoint now) {
    const Duration elapsed = now - interval_start_;
    if (elapsed < kMaxReordering) return;
    previous_own_peak_ = elapsed < 2 * kMaxReordering ? own_peak_ : own;
    own_peak_ = own;
    interval_start_ = now;
  }
  /// After this activator's own requests in flight have increased to `own`.
  void own_increased(std::int32_t own) { own_peak_ = std::max(own_peak_, own); }

  /// The replica runs or holds `total` requests of all callers; `own` of them are in flight here. A
  /// response that was overtaken reports requests that have ended here since: the peak of our own
  /// requests is subtracted, so they are not taken for other callers'.
  void record_report(std::int32_t total, std::int32_t own, TimePoint now) {
    note_own(own, now);
    reported_ = std::max(total - std::max(own_peak_, previous_own_peak_), 0);
    reported_at_ = now;
  }

  /// The replica had no free slot for one of our requests: `others` are of other callers. The first
  /// half of them counts for kFullTime only.
  void record_full(std::int32_t others, TimePoint now) {
    reported_ = std::max(others, 0);
    reported_at_ = now - (kReportHalfLife - kFullTime);
  }

  /// A report that comes within kMaxReordering of the last increase of our own requests and has no
  /// more than these changes nothing; -1: any report does.
  std::int32_t expected() const { return reported_ == 0 ? own_peak_ : -1; }

  std::int32_t at(TimePoint now) const {
    if (reported_ == 0) return 0;
    constexpr std::int64_t kBits = 31;
    const std::int64_t halvings = std::max<std::int64_t>((now - reported_at_) / kReportHalfLife, 0);
    return halvings >= kBits ? 0 : reported_ >> halvings;
  }

  /// When at() becomes smaller; nullopt if it is zero.
  std::optional<TimePoint> decays_at(TimePoint now) const {
    if (at(now) == 0) return std::nullopt;
    return reported_at_ + ((now - reported_at_) / kReportHalfLife + 1) * kReportHalfLife;
  }

  /// Forgets the last report.
  void clear() { reported_ = 0; }

 private:
  std::int32_t reported_ = 0;  // of other callers
  TimePoint reported_at_{};
  std::int32_t own_peak_ = 0;
  std::int32_t previous_own_peak_ = 0;
  TimePoint interval_start_{};
};

}  // namespace bellows::activator
