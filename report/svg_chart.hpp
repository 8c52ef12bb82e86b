// Plots over time as SVG that a browser draws without any script.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace bellows::report {

/// Room for the numbers at the left of a chart, and what is left free at its right.
inline constexpr double kChartLeft = 48;
inline constexpr double kChartRight = 8;

/// One curve: a value for each stretch of time, drawn as steps.
struct Curve {
  std::string css_class;  ///< gives it its colour
  std::vector<double> values;
  bool is_filled = false;  ///< an area down to zero instead of a line
};

struct Chart {
  double width = 1000;
  double height = 220;
  double max = 1;    ///< value at the top
  std::string unit;  ///< behind the numbers of the upright axis: "s"
  Duration begin{};  ///< of the first stretch
  Duration stretch{};
  int max_ticks = 12;              ///< of the time axis
  std::vector<Curve> curves;       ///< later ones on top
  std::vector<bool> is_marked;     ///< stretches with a band behind them; empty: none
  std::vector<std::size_t> marks;  ///< stretches with a cross at the top, each once
  std::string mark_class;          ///< gives the crosses their colour
};

/// The element <svg>. Numbers have one decimal at most: a chart of 1500 stretches takes about 20 KB
/// a curve.
std::string svg(const Chart& chart);

/// A round number of which 3 to 6 fit into `most`.
double round_step(double max);

/// A round duration of which at most `most` fit into `whole`.
Duration round_step(Duration whole, int max = 12);

/// "1d 02:30", "15:00", "00:04:30" if seconds matter.
std::string clock_text(Duration since_begin, bool with_seconds);

/// Text between tags and in attributes.
std::string html_escaped(std::string_view text);

}  // namespace bellows::report
