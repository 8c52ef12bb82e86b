// Policies side by side on the same arrivals, with the two limits, as tables.
#pragma once

#include <string>
#include <vector>

#include "simulator/demand.hpp"
#include "simulator/outcome.hpp"
#include "simulator/survey.hpp"

namespace bellows::simulator {

/// What was compared, and what came of it. Filled in by whoever runs the simulations.
struct Comparison {
  std::string trace;  ///< as the user named it
  std::string app;    ///< the model in full
  std::uint64_t seed = 0;
  Duration begin{};  ///< of what is counted, in the trace
  double scale = 1;
  double dispersion = 1;
  double slots = 1;  ///< requests that fill one replica under the first policy
  FullBy full_by = FullBy::kLimit;
  std::uint64_t requests = 0;
  double mean_load = 0;  ///< requests in service, if nobody waits
  std::int32_t max_load = 0;
  std::vector<Outcome> outcomes;  ///< of each policy, in their order
  Outcome oracle;
};

/// Titles, then a row per policy, the oracle and the load itself. Waits are rounded for people.
std::vector<std::vector<std::string>> comparison_rows(const Comparison& comparison);

/// One JSON document, docs/simulate.md describes it. Ends with a newline.
std::string comparison_json(const Comparison& comparison);

/// For people: 1234567 as "1 234 567".
std::string grouped(double value);
/// A load for people: whole from ten on, three digits below.
std::string load_text(double value);

}  // namespace bellows::simulator
