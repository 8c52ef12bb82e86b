// Counts that other workers pass to the instruments of a revision.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "activator/core/cold_start.hpp"
#include "activator/core/failure_reason.hpp"
#include "activator/service/instruments.hpp"
#include "base/time.hpp"

namespace bellows::activator {

/// Buffers counts, because the instruments of a program belong to its io thread. Owner: a
/// RevisionHandle. Thread: any, with the lock held.
struct UncountedRequests {
  /// Number after which they are counted even if no scrape is due.
  static constexpr std::size_t kEnough = 256;
  struct Ended {
    int status = 0;
    Duration total{};
  };

  std::vector<Ended> ended;
  std::vector<Duration> held;
  std::vector<ColdStart> cold_starts;
  std::array<std::uint64_t, kFailureReasons.size()> retried{};
  std::array<std::uint64_t, kFailureReasons.size()> ejected{};

  bool has_enough() const { return ended.size() >= kEnough || held.size() >= kEnough; }
  bool empty() const;
  void count_in(RevisionInstruments& instruments) const;
};

}  // namespace bellows::activator
