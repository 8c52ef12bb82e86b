// Rate, failures and durations of the requests of the last minute, for people who watch. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "activator/core/served.hpp"
#include "base/time.hpp"
#include "metrics/service_times.hpp"

namespace bellows::activator {

/// The requests of a minute, of one revision or of several.
struct RecentSum {
  double per_second = 0;               ///< of the last ten seconds
  std::uint64_t requests = 0;          ///< of the last minute, as the rest
  std::uint64_t errors = 0;            ///< answered with 5xx, or responses that ended too early
  metrics::ServiceTimeCounts times{};  ///< from arrival to the end of the response; no tunnels

  /// Returns the nearest rank of `share` (0 to 1); nullopt without durations.
  std::optional<Duration> percentile(double share) const;
  /// Returns {"per_second":12.3,"errors":0,"p50_ms":4.1,"p99_ms":20}; empty without a request.
  std::string json() const;
};

/// Takes 5.5 KB. Owner: a revision that has had a request.
class RecentRequests {
 public:
  /// Counts what Served counts. `now` does not go back by more than a minute.
  void add(const RequestEnd& end, TimePoint now);
  void add_to(RecentSum& sum, TimePoint now) const;

 private:
  static constexpr Duration kSlice = std::chrono::seconds(10);
  struct Slice {
    std::int64_t number = -1;  // since the begin of time, in slices
    std::uint32_t requests = 0;
    std::uint32_t errors = 0;
    metrics::ServiceTimeCounts times{};
  };

  std::array<Slice, 7> slices_{};  // the present one and a minute; by number
};

}  // namespace bellows::activator
