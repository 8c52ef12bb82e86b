// The activity of a replica's app within one second, besides its load. The slow brain learns from
// it how many requests in flight a replica should have.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/time.hpp"
#include "base/units.hpp"
#include "metrics/service_times.hpp"

namespace bellows::metrics {

/// Plain data. An unset member is unknown, because the kernel does not provide it or the app is not
/// visible.
struct ReplicaReading {
  std::uint64_t completed = 0;  ///< requests that the app ended, errors included
  std::uint64_t errors = 0;     ///< of them with a 5xx, or without a response
  std::uint64_t refused = 0;    ///< requests that the queue-proxy rejected
  ServiceTimes times{};         ///< times of the completed ones, without waiting
  std::optional<Duration> cpu{};
  std::optional<Duration> throttled{};  ///< time for which the CPU quota stopped the app
  std::optional<Millicores> cpu_limit{};
  std::optional<Bytes> memory{};  ///< without reclaimable file pages
  std::optional<Bytes> memory_limit{};
  std::optional<double> cpu_pressure{};     ///< share of time in which some process waited, 0 to 1
  std::optional<double> memory_pressure{};  ///< the same for memory (PSI, some avg10)

  bool operator==(const ReplicaReading&) const = default;
};

/// An immutable reading that all copies of a stat share; null if the source is no replica, or a
/// queue-proxy that does not measure. Compared by value.
class ReadingPtr {
 public:
  ReadingPtr() = default;
  explicit ReadingPtr(ReplicaReading reading)
      : reading_(std::make_shared<const ReplicaReading>(reading)) {}

  explicit operator bool() const { return reading_ != nullptr; }
  const ReplicaReading& operator*() const { return *reading_; }
  const ReplicaReading* operator->() const { return reading_.get(); }

  friend bool operator==(const ReadingPtr& a, const ReadingPtr& b) {
    return a.reading_ == b.reading_ || (a && b && *a == *b);
  }

 private:
  std::shared_ptr<const ReplicaReading> reading_;  // owners: the stats that carry it
};

}  // namespace bellows::metrics
