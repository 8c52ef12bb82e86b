// The precision with which a service is observed.
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/observation.hpp"

namespace bellows::autoscaler::history {

/// Loads and shares in four significant digits and at most thousandths, at least one where there is
/// any; the idle time in whole milliseconds. What is beyond that is noise of the measurement, and a
/// day of it would not fit the memory of a journal. Pure.
Observation on_grid(Observation seen);

/// The place of a number among those of the grid, in their order: neighbours differ by one. Nothing
/// if it is not one of them.
std::optional<std::int64_t> place_on_grid(double value);
/// The number at that place.
double number_at(std::int64_t place);

}  // namespace bellows::autoscaler::history
