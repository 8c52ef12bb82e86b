// Policies on the same arrivals, with the two bounds, as tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/comparison_table.hpp"
#include "simulator/demand.hpp"
#include "simulator/load_profile.hpp"
#include "simulator/outcome.hpp"

namespace bellows::simulator {

/// The compared policies and their outcomes. The caller of the simulations fills it in.
struct Comparison {
  std::string trace;  ///< the name that the user gave
  std::string app;    ///< the complete model
  std::uint64_t seed = 0;
  Duration begin{};    ///< of the counted part, in the trace
  Duration warm_up{};  ///< simulated before it and not counted
  double scale = 1;
  double dispersion = 1;
  double slots = 1;  ///< requests that fill one replica under the first policy
  FullBy full_by = FullBy::kLimit;
  std::uint64_t requests = 0;
  double mean_load = 0;  ///< requests in service if no request waits
  std::int32_t max_load = 0;
  std::vector<Outcome> outcomes;  ///< one per policy, in order
  Outcome oracle;
};

/// Returns one row per policy, then the oracle and the load itself. Durations are rounded.
report::Rows comparison_rows(const Comparison& comparison);
std::span<const report::Measure> comparison_columns();

/// Writes one JSON document (docs/simulate.md), with a trailing newline.
std::string comparison_json(const Comparison& comparison);

/// 1234567 as "1 234 567".
std::string grouped(double value);
/// Rounds a load: to a whole number from ten on, to three digits below.
std::string load_text(double value);

}  // namespace bellows::simulator
