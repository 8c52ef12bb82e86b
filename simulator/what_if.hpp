// What scaling would have saved on a log: the settings that cost least among those under which the
// requests hardly wait longer than with a fixed number of replicas.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/units.hpp"
#include "report/comparison_table.hpp"
#include "simulator/demand.hpp"
#include "simulator/outcome.hpp"
#include "simulator/policy.hpp"
#include "simulator/workload.hpp"

namespace bellows::simulator {

/// Returns the fewest replicas at which 99 % of the requests arrive in a second whose load they can
/// take; at least one.
PodCount always_on_replicas(const Demand& demand, const LoadProfile& profile);

/// Returns `usual` with that number of replicas all the time, whatever bounds it has.
Policy always_on(const Policy& usual, PodCount replicas);

/// Returns the numbers of replicas to keep that are worth a try: none, one, and those that the
/// quietest twentieth of the time fills. Ascending.
std::vector<PodCount> replicas_to_keep(const Demand& demand);

/// Settings to try.
struct Candidate {
  PodCount keep = 0;                 ///< min-scale
  std::optional<int> utilization{};  ///< target-utilization-percentage; unset: the default headroom
  Outcome outcome{};

  /// Returns the policy that read_policies() reads.
  std::string policy() const;
};

/// Returns the other targets to try with the same number of replicas to keep.
std::vector<Candidate> with_targets(PodCount keep);

/// The outcome of a search on a workload. Pure.
struct WhatIf {
  Outcome always_on;  ///< of always_on_replicas()
  double slots = 1;   ///< requests that fill a replica
  FullBy full_by = FullBy::kLimit;
  Duration added_wait{};  ///< the p99 wait that may be added
  std::vector<Candidate> tried;

  /// The cheapest that keeps the waiting: its p99 wait is at most `added_wait` beyond that of
  /// always_on, and no more requests are lost. If none does, the one with the shortest p99 wait.
  /// `tried` is not empty.
  const Candidate& best() const;
  bool keeps_waiting(const Candidate& candidate) const;
};

/// Returns a tenth of the requests' p99, at least 10 ms.
Duration wait_that_may_be_added(const Workload& workload);

/// "Keep 1, target 7.5 (...): saves 412 replica-hours of 600 (69%), p99 +3ms, ..." and why.
std::string what_if_text(const WhatIf& tried);
/// A row for each of `tried`, the best first.
report::Rows what_if_rows(const WhatIf& tried);
std::span<const report::Measure> what_if_columns();

}  // namespace bellows::simulator
