// Plots over time as SVG, without scripts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace bellows::report {

/// Margins of a chart: the left one holds the numbers of the axis.
inline constexpr double kChartLeft = 48;
inline constexpr double kChartRight = 8;

/// One curve: a value for each interval of time, drawn as steps.
struct Curve {
  std::string css_class;  ///< selects its colour
  std::vector<double> values;
  bool is_filled = false;  ///< an area down to zero instead of a line
};

struct Chart {
  double width = 1000;
  double height = 220;
  double max = 1;    ///< value at the top
  std::string unit;  ///< follows the numbers of the y axis: "s"
  Duration begin{};  ///< start of the first interval
  Duration interval{};
  int max_ticks = 12;              ///< maximum on the time axis
  std::vector<Curve> curves;       ///< drawn in this order
  std::vector<bool> is_marked;     ///< intervals with a coloured background; empty: none
  std::vector<std::size_t> marks;  ///< intervals with a cross at the top, each once
  std::string mark_class;          ///< selects the colour of the crosses
};

/// Returns the element <svg>. Numbers have one decimal at most: a chart of 1500 intervals takes
/// about 20 KB a curve.
std::string svg(const Chart& chart);

/// Returns a round number of which 3 to 6 fit into `max`.
double round_step(double max);

/// Returns a round duration of which at most `max_steps` fit into `whole`.
Duration round_step(Duration whole, int max_steps = 12);

/// Returns "1d 02:30", "15:00", or "00:04:30" with seconds.
std::string clock_text(Duration since_begin, bool with_seconds);

/// Escapes text between tags and in attributes.
std::string html_escaped(std::string_view text);

}  // namespace bellows::report
