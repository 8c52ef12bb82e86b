// A chart in a page, with the numbers under the pointer.
#pragma once

#include <string>
#include <vector>

#include "report/svg_chart.hpp"

namespace bellows::report {

/// A chart with what its pointer tells: names of its first curves, in their order.
struct Plot {
  Chart chart;
  std::vector<std::string> names;
};

/// A <div> for a page that has kPageStyle and, at its end, kPageScript (page.hpp).
std::string plot_html(const Plot& plot);

/// Three digits, as a person reads them off a plot.
double three_digits(double value);

/// The name of the n-th colour, in style sheets and as a class of curves: "c0" to "c7", and again.
std::string colour(std::size_t n);
/// The same as a square in front of a name.
std::string colour_dot(std::size_t n);
/// What gives curves of those classes their colour: the inside of a <style>.
std::string colour_style();

}  // namespace bellows::report
