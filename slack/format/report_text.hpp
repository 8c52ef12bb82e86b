// Reports which arrivals find room now, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "slack/core/guarantee.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {

/// The guarantee for one shape.
struct ShapeReport {
  std::string shape{};
  Resources requests{};
  std::int64_t pods = 0;  ///< existing ones
  std::int64_t held = 0;  ///< placeholders of this shape on ready nodes
  Guarantee guarantee{};
  std::vector<Unmet> no_node{};  ///< why no node could be added for it; empty: one could
};

/// More than these need not be counted: a report says "1000 or more".
inline constexpr std::int64_t kMostCounted = 1000;

/// Returns all shapes of pods and placeholders without daemon sets; those with the least room
/// first. It counts up to `most` pods of each.
std::vector<ShapeReport> report_shapes(const Planner& planner, std::int64_t most);

std::string report_text(const std::vector<ShapeReport>& shapes, const Plan& plan);
std::string report_json(const std::vector<ShapeReport>& shapes, const Plan& plan);

/// A size up to the biggest pods, and whether it fits now (R7).
struct ProbeCell {
  Resources requests;
  std::int64_t fits_now = 0;
};
std::vector<ProbeCell> probe_grid(Planner& planner, int steps);

/// Returns the answer to one probe, with the grid and the shapes that fit.
std::string probe_json(const Shape& probe, const Guarantee& guarantee,
                       const std::vector<ProbeCell>& grid, const std::vector<ShapeReport>& shapes);

}  // namespace bellows::slack
