// One HTML page that a person reads: what each policy did, as a table and as plots.
#pragma once

#include <string>

#include "simulator/comparison.hpp"

namespace bellows::simulator {

/// Complete in itself: no network, no fonts, no other file; light or dark as the reader's system
/// is. The plots are SVG; a few lines of script show the numbers under the pointer. The same
/// comparison gives the same bytes.
std::string report_html(const Comparison& comparison);

}  // namespace bellows::simulator
