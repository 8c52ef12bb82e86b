// The HTML report: the policies as a table and as plots.
#pragma once

#include <string>

#include "report/made_by.hpp"
#include "simulator/comparison.hpp"

namespace bellows::simulator {

/// Writes a self-contained page, without network, fonts or other files. It follows the light or
/// dark mode of the system. The plots are SVG, and a short script shows the values under the
/// pointer. Equal arguments give equal bytes.
std::string report_html(const Comparison& comparison, const report::MadeBy& made = {});

}  // namespace bellows::simulator
