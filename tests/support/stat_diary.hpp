// Sources of load that report every second, for tests of windows.
#pragma once

#include <cstdint>
#include <string>

#include "metrics/revision_windows.hpp"

namespace bellows::test {

/// Feeds RevisionWindows as sources do: one stat a second, with sequence numbers per source.
class StatDiary {
 public:
  explicit StatDiary(metrics::RevisionWindows& windows) : windows_(windows) {}

  /// Half a second after second 0, so that a stat that ends now is in the second of its number.
  static constexpr TimePoint at(std::int64_t second) {
    return TimePoint(std::chrono::hours(24) + std::chrono::seconds(second) +
                     std::chrono::milliseconds(500));
  }

  /// The stat of the second that ends at at(second).
  static metrics::Stat stat(const std::string& pod, std::int64_t second, double load,
                            metrics::StatSource source = metrics::StatSource::kReplica) {
    metrics::Stat stat;
    stat.revision = RevisionId("web");
    stat.pod = PodName(pod);
    stat.source = source;
    stat.boot = 1;
    stat.sequence = static_cast<std::uint64_t>(second + 1000);
    stat.concurrency = load;
    stat.peak = load;
    stat.requests = load > 0 ? 1 : 0;
    return stat;
  }

  /// One stat per second from `first` to `last`, each arriving as it ends.
  void steady(const std::string& pod, std::int64_t first, std::int64_t last, double load) {
    for (std::int64_t s = first; s <= last; ++s) record(stat(pod, s, load), s);
  }

  metrics::RecordResult record(const metrics::Stat& stat, std::int64_t second) {
    return windows_.record(stat, at(second));
  }

  /// The stat of `second` arrives late, at `now`.
  metrics::RecordResult record_late(metrics::Stat stat, std::int64_t second, std::int64_t now) {
    stat.age = std::chrono::seconds(now - second);
    return windows_.record(stat, at(now));
  }

 private:
  metrics::RevisionWindows& windows_;
};

}  // namespace bellows::test
