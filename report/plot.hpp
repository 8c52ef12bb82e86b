// A chart in a page, with a tooltip.
#pragma once

#include <string>
#include <vector>

#include "report/svg_chart.hpp"

namespace bellows::report {

/// A chart with the names of its first curves, for the tooltip.
struct Plot {
  Chart chart;
  std::vector<std::string> names;
};

/// Returns a <div> for a page that has kPageStyle and, at its end, kPageScript (page.hpp).
std::string plot_html(const Plot& plot);

/// Rounds to three significant digits.
double three_digits(double value);
/// The same as text: "1.25", "12300".
std::string three_digits_text(double value);

/// Returns the name of the n-th colour, in style sheets and as a class of curves: "c0" to "c7",
/// repeated.
std::string colour(std::size_t n);
/// Returns a square of that colour, to put before a name.
std::string colour_dot(std::size_t n);
/// Returns the CSS rules for curves of those classes.
std::string colour_style();

}  // namespace bellows::report
