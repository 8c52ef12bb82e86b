#include "cli/screen/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bellows::cli {

namespace {

constexpr int kEighths = 8;
constexpr std::array<const char*, kEighths + 1> kBlocks = {" ", "▁", "▂", "▃", "▄",
                                                           "▅", "▆", "▇", "█"};

/// Returns the eighths that `value` fills in a column of `height` cells; at least one if it is
/// positive.
int filled_eighths(double value, double ceiling, std::size_t height) {
  if (!(value > 0) || !(ceiling > 0)) return 0;
  const int all = static_cast<int>(height) * kEighths;
  const int filled = static_cast<int>(std::lround(value / ceiling * all));
  return std::clamp(filled, 1, all);
}

}  // namespace

std::vector<std::string> block_chart(const std::deque<double>& values, std::size_t width,
                                     std::size_t height, double ceiling) {
  const std::size_t shown = std::min(width, values.size());
  std::vector<std::string> lines(height, std::string(width - shown, ' '));
  for (std::size_t i = values.size() - shown; i < values.size(); ++i) {
    const int filled = filled_eighths(values[i], ceiling, height);
    for (std::size_t row = 0; row < height; ++row) {
      const int below = static_cast<int>(height - 1 - row) * kEighths;
      lines[row] += kBlocks[static_cast<std::size_t>(std::clamp(filled - below, 0, kEighths))];
    }
  }
  return lines;
}

double nice_ceiling(double value) {
  double scale = 1;
  while (true) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (step * scale >= value) return step * scale;
    }
    scale *= 10;
    if (!std::isfinite(scale)) return value;
  }
}

}  // namespace bellows::cli
