// A small chart out of block characters: values over time, the newest at the right.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace bellows::cli {

/// `height` lines of `width` cells, filled from below in eighths; the top line is `ceiling`. Fewer
/// values than cells leave the left side empty; more than that drop the oldest. Values at or below
/// zero are blank.
std::vector<std::string> block_chart(const std::deque<double>& values, std::size_t width,
                                     std::size_t height, double ceiling);

/// The smallest of 1, 2, 5, 10, 20, 50, ... that is not below `value`: where a scale ends.
double nice_ceiling(double value);

}  // namespace bellows::cli
