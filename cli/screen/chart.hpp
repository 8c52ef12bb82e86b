// A small chart of block characters: values over time, the latest at the right.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace bellows::cli {

/// Returns `height` lines of `width` cells, filled from below in eighths of a cell; the top is
/// `ceiling`. With fewer values than cells the left side is blank; with more the oldest are left
/// out. Values at or below zero are blank.
std::vector<std::string> block_chart(const std::deque<double>& values, std::size_t width,
                                     std::size_t height, double ceiling);

/// Returns the end of an axis: the smallest of 1, 2, 5, 10, 20, 50, ... that is at least `value`.
double nice_ceiling(double value);

}  // namespace bellows::cli
